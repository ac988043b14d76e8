import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCompileCache } from '../../../src/lib/process/compile-cache.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

const now = Date.UTC(2026, 2, 14)
const day = 24 * 60 * 60 * 1000
const uid = process.geteuid?.()

async function compiledBy(parent: string, versions: string, usedAt: number) {
  const files = join(parent, versions, 'v22.12.0-x64')
  await mkdir(files, { recursive: true })
  await writeFile(join(files, 'a1b2c3'), 'code')
  for (const path of [join(files, 'a1b2c3'), files, join(parent, versions)])
    await utimes(path, usedAt / 1000, usedAt / 1000)
}

test('a new version removes what was not used for 30 days, and leaves what another version uses', async () => {
  const parent = await temporaryFolder()
  await compiledBy(parent, '0.1.0-node-22.12.0', now - 31 * day)
  await compiledBy(parent, '0.2.0-node-22.12.0', now - 29 * day)
  // As versions before this one kept it.
  await compiledBy(parent, 'v22.12.0-x64-3c2bb1ea-0', now - 31 * day)
  await compiledBy(parent, 'notes', now - 31 * day)
  const folder = openCompileCache(parent, { versions: '0.3.0-node-24.0.0', now, uid })
  expect(folder).toBe(join(parent, '0.3.0-node-24.0.0'))
  expect(await readdir(parent)).toEqual(['0.2.0-node-22.12.0', '0.3.0-node-24.0.0', 'notes'])
})

test('keeps versions that are used daily or again after weeks', async () => {
  const parent = await temporaryFolder()
  const open = (versions: string, at: number) => openCompileCache(parent, { versions, now: at, uid })
  open('1.0.0-node-22.0.0', now - 40 * day)
  for (let at = now - 40 * day; at <= now; at += day) open('1.1.0-node-22.0.0', at)
  expect(await readdir(parent)).toEqual(['1.1.0-node-22.0.0'])
  open('1.0.0-node-22.0.0', now)
  open('1.1.0-node-22.0.0', now + day)
  expect(await readdir(parent)).toEqual(['1.0.0-node-22.0.0', '1.1.0-node-22.0.0'])
})
