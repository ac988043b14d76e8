import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRulesReader } from '../../../src/service/profile/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const baseUrl = 'https://api.example.com'
const limited = (maxCalls: number) =>
  JSON.stringify({ profiles: { work: { baseUrl, apiKey: 'key', limits: { callsPerDay: maxCalls } } } })

test('rules are read again only after the settings have changed', async () => {
  const folder = await temporaryFolder({ 'config.json': limited(1) })
  const readRules = createRulesReader({ CALLYARD_CONFIG_DIR: folder })
  expect(await readRules(baseUrl)).toEqual({ requiresApproval: false, limits: [{ callsPerDay: 1 }] })
  // A file that was written just now may be written again without a trace.
  const isKept = async () => {
    const rules = await readRules(baseUrl)
    return rules === (await readRules(baseUrl))
  }
  await expect.poll(isKept).toBe(true)
  await writeFile(join(folder, 'config.json'), limited(2))
  expect((await readRules(baseUrl)).limits).toEqual([{ callsPerDay: 2 }])
  await writeFile(join(folder, 'config.json'), 'damaged')
  await expect(readRules(baseUrl)).rejects.toMatchObject({ kind: 'usage' })
})
