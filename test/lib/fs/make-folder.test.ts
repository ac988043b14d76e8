import { readdirSync, readFileSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../src/lib/fs/make-folder.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

test('creates the missing folders with the mode, and accepts a folder that exists', async () => {
  const root = await temporaryFolder()
  await makeFolder(join(root, 'a', 'b', 'c'), 0o700)
  for (const path of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, path))).mode & 0o777).toBe(0o700)
  await makeFolder(join(root, 'a', 'b', 'c'), 0o700)
  await makeFolder('/')
})

test('several callers create the same folder', async () => {
  const root = await temporaryFolder()
  for (let round = 0; round < 20; round++) {
    const path = join(root, String(round), 'x', 'y')
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(path)))
    expect((await stat(path)).isDirectory()).toBe(true)
  }
})

test('a file in the way is an error', async () => {
  const root = await temporaryFolder()
  await writeFile(join(root, 'file'), '')
  await expect(makeFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(root, 'file', 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

test.runIf(process.platform === 'linux')('a folder that takes no folders is an error', async () => {
  await expect(makeFolder('/proc/callyard/a')).rejects.toMatchObject({ code: 'ENOENT' })
})

test('nothing else in src/ creates folders recursively', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(500)
  const isRecursive = (code: string) => /\bmkdir(Sync)?\([^;]*?\brecursive\b/.test(code)
  expect(isRecursive('await mkdir(\n  dirname(path),\n  { mode, recursive: true },\n)')).toBe(true)
  expect(files.filter(file => isRecursive(readFileSync(join('src', file), 'utf8')))).toEqual([])
})
