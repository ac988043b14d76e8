import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { removeLeftover, replaceFile, syncFile, writeNewFile } from '../../../src/lib/fs/replace-file.ts'
import { temporaryFolder } from '../../helpers/folders.ts'

async function newFolder(): Promise<string> {
  return temporaryFolder()
}

test('leaves neither a part nor a temporary file when it cannot write', async () => {
  const folder = await newFolder()
  const path = join(folder, 'file')
  await mkdir(join(path, 'in-the-way'), { recursive: true })
  for (const isLocked of [false, true]) {
    const failing = replaceFile(path, 'new', { mode: 0o600, isLocked })
    await expect(failing).rejects.toMatchObject({ syscall: 'rename' })
    expect(await readdir(folder)).toEqual(['file'])
  }
})

test('writes chunks as they are produced, and keeps the file if producing one throws', async () => {
  const folder = await newFolder()
  const path = join(folder, 'file')
  async function* chunks(failing: boolean) {
    for (let index = 0; index < 100; index += 1) yield `${index}\n`.repeat(1000)
    if (failing) throw new Error('no more chunks')
    yield Buffer.from('end')
  }
  await replaceFile(path, () => chunks(false))
  const text = await readFile(path, 'utf8')
  expect(text).toMatch(/^0\n(?:.|\n)*\n99\nend$/)
  await expect(replaceFile(path, () => chunks(true))).rejects.toThrow('no more chunks')
  expect(await readFile(path, 'utf8')).toBe(text)
  expect(await readdir(folder)).toEqual(['file'])
})

test('replaces what a kill left, and never writes through an existing link', async () => {
  const folder = await newFolder()
  const path = join(folder, 'file')
  const other = join(folder, 'other')
  await writeFile(other, 'of another process')
  await symlink(other, join(folder, '.file.callyard-tmp'))
  await replaceFile(path, 'new', { mode: 0o600, isLocked: true })
  expect(await readFile(other, 'utf8')).toBe('of another process')
  expect((await lstat(path)).isFile()).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await readdir(folder)).sort()).toEqual(['file', 'other'])
})

test('an existing file keeps its permissions, unless others are given', async () => {
  const path = join(await newFolder(), 'file')
  await writeFile(path, 'old')
  await chmod(path, 0o666)
  await replaceFile(path, 'new')
  expect((await stat(path)).mode & 0o777).toBe(0o666)
  await replaceFile(path, 'newer', { mode: 0o600 })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readFile(path, 'utf8')).toBe('newer')
})

test('syncs a file whose handle does not implement sync, as under Yarn', async () => {
  const handle = await open(join(await newFolder(), 'file'), 'w')
  onTestFinished(() => handle.close())
  const value = () => {
    throw new Error('Method not implemented.')
  }
  Object.defineProperties(handle, { sync: { value }, datasync: { value } })
  await handle.writeFile('text')
  await expect(syncFile(handle)).resolves.toBeUndefined()
})

test('writes a new file completely, without replacing one or leaving a partial one', async () => {
  const place = await newFolder()
  const path = join(place, 'a.txt')
  const written = await Promise.all(['one', 'two', 'three'].map(text => writeNewFile(path, text, 0o600)))
  expect(written.filter(Boolean)).toHaveLength(1)
  expect(await readFile(path, 'utf8')).toBe(['one', 'two', 'three'][written.indexOf(true)])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  await symlink(join(place, 'nowhere'), join(place, 'link'))
  expect(await writeNewFile(join(place, 'link'), 'text')).toBe(false)
  await expect(writeNewFile(join(place, 'no', 'a.txt'), 'text')).rejects.toThrow('ENOENT')
  expect((await readdir(place)).sort()).toEqual(['a.txt', 'link'])
})

test('keeps the link to a replaced file', async () => {
  const folder = await newFolder()
  const target = join(folder, 'target')
  const path = join(folder, 'link')
  await writeFile(target, 'old', { mode: 0o640 })
  await symlink(target, path)
  await writeFile(join(folder, '.target.callyard-tmp'), 'of a run that was killed')
  await removeLeftover(path)
  expect((await readdir(folder)).sort()).toEqual(['link', 'target'])
  for (const isLocked of [false, true]) await replaceFile(path, `new ${isLocked}`, { isLocked })
  expect(await readlink(path)).toBe(target)
  expect(await readFile(target, 'utf8')).toBe('new true')
  expect((await stat(target)).mode & 0o777).toBe(0o640)
})

test('prints long names with the same start side by side, and rejects one that is too long', async () => {
  const folder = await newFolder()
  const names = ['a', 'b', 'c'].map(end => `${'x'.repeat(200)}${end}`)
  await Promise.all(names.map(name => replaceFile(join(folder, name), name, { isLocked: true })))
  for (const name of names) expect(await readFile(join(folder, name), 'utf8')).toBe(name)
  await expect(replaceFile(join(folder, 'x'.repeat(256)), 'text')).rejects.toMatchObject({
    code: 'ENAMETOOLONG',
  })
  expect((await readdir(folder)).sort()).toEqual(names)
})

test('a missing folder is an error, and is not created', async () => {
  const folder = await newFolder()
  await expect(replaceFile(join(folder, 'missing', 'file'), 'text')).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await readdir(folder)).toEqual([])
})
