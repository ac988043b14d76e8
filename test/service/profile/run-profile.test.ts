import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saveRunProfile } from '../../../src/service/profile/index.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const mine = { baseUrl: 'http://127.0.0.1:2', apiKey: 'key-of-mine' }
const theirs = { baseUrl: 'http://127.0.0.1:1', apiKey: 'key-of-theirs' }
const original = { baseUrl: 'http://127.0.0.1:4010', apiKey: 'key-of-before' }
const keep = () => false

/** A process that has ended: no run of it can have restored anything since. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid ?? 0
}

async function configOf(content: unknown) {
  const folder = await temporaryFolder()
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify(content))
  return {
    env: { CALLYARD_CONFIG_DIR: folder },
    stored: async () => JSON.parse(await readFile(file, 'utf8')),
  }
}

async function killed(more: object, host = hostname()) {
  return { ...theirs, run: { pid: await endedPid(), host, token: 'theirs', ...more } }
}

test('the next run restores the profile that a killed run found', async () => {
  const { env, stored } = await configOf({
    current: 'work',
    profiles: { work: original, sandbox: await killed({ before: original }) },
  })
  const saved = await saveRunProfile(env, 'sandbox', mine, { shouldKeep: keep })
  expect(saved.before).toEqual(original)
  expect(await stored()).toMatchObject({ current: 'work', profiles: { sandbox: mine } })
  await saved.restore()
  expect(await stored()).toEqual({ current: 'work', profiles: { work: original, sandbox: original } })
})

test('a killed run that found nothing leaves nothing, and nothing in use', async () => {
  const { env, stored } = await configOf({
    current: 'sandbox',
    profiles: { sandbox: await killed({ selected: null }) },
  })
  const saved = await saveRunProfile(env, 'sandbox', mine, { shouldKeep: keep })
  expect(await stored()).toMatchObject({ current: 'sandbox', profiles: { sandbox: mine } })
  await saved.restore()
  expect(await stored()).toEqual({ profiles: {} })
})

test('two that were killed, one above the other', async () => {
  const below = await killed({ selected: null })
  const above = { ...below, run: { ...below.run, token: 'above', before: below, selected: undefined } }
  const { env, stored } = await configOf({ current: 'sandbox', profiles: { sandbox: above } })
  await (await saveRunProfile(env, 'sandbox', mine, { shouldKeep: keep })).restore()
  expect(await stored()).toEqual({ profiles: {} })
})

test('of a run on another machine may not have ended, so its profile is restored unchanged', async () => {
  const elsewhere = await killed({ before: original }, 'another-machine.example.com')
  const { env, stored } = await configOf({ current: 'sandbox', profiles: { sandbox: elsewhere } })
  await (await saveRunProfile(env, 'sandbox', mine, { shouldKeep: keep })).restore()
  expect(await stored()).toEqual({ current: 'sandbox', profiles: { sandbox: elsewhere } })
})
