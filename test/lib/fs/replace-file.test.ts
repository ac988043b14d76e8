import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { renameOver, replaceFile, syncFile, writeNewFile } from '../../../src/lib/fs/replace-file.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callwright-write-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A rename that fails with these codes, one after the other, then works; and a clock that notes what it is asked for. */
function busyFile(codes: readonly string[]) {
  const left = [...codes]
  const sleeps: number[] = []
  const moves: string[] = []
  return {
    sleeps,
    moves,
    clock: { sleep: async (milliseconds: number) => void sleeps.push(milliseconds) },
    async move(from: string, to: string) {
      const code = left.shift()
      if (code !== undefined) throw Object.assign(new Error(`${code}: rename`), { code })
      moves.push(`${from} ${to}`)
    },
  }
}

test('on Windows a file that is in use is replaced as soon as it is free', async () => {
  const { clock, move, moves, sleeps } = busyFile(['EPERM', 'EBUSY', 'EACCES'])
  await renameOver('new', 'old', { platform: 'win32', clock }, move)
  expect(moves).toEqual(['new old'])
  expect(sleeps).toEqual([10, 20, 40])
})

test('on Windows it gives up after about two seconds, with the error of the system', async () => {
  const { clock, move, sleeps } = busyFile(Array<string>(100).fill('EBUSY'))
  await expect(renameOver('new', 'old', { platform: 'win32', clock }, move)).rejects.toMatchObject({
    code: 'EBUSY',
  })
  expect(sleeps.reduce((sum, each) => sum + each, 0)).toBe(2270)
})

test.each([
  ['win32', 'ENOENT'],
  ['win32', 'ENOSPC'],
  ['linux', 'EPERM'],
  ['darwin', 'EBUSY'],
] as const)('on %s, %s is final', async (platform, code) => {
  const { clock, move, sleeps } = busyFile([code])
  await expect(renameOver('new', 'old', { platform, clock }, move)).rejects.toMatchObject({ code })
  expect(sleeps).toEqual([])
})

test('leaves neither a part nor a temporary file when it cannot write', async () => {
  const folder = await newFolder()
  const path = join(folder, 'file')
  await mkdir(join(path, 'in-the-way'), { recursive: true })
  const { clock } = busyFile([])
  for (const isLocked of [false, true]) {
    const failing = replaceFile(path, 'new', { mode: 0o600, machine: { clock }, isLocked })
    await expect(failing).rejects.toMatchObject({ syscall: 'rename' })
    expect(await readdir(folder)).toEqual(['file'])
  }
})

test('replaces what a kill left, and never writes through a link that is there', async () => {
  const folder = await newFolder()
  const path = join(folder, 'file')
  const other = join(folder, 'other')
  await writeFile(other, 'of another process')
  await symlink(other, join(folder, '.file.callwright-tmp'))
  const { clock } = busyFile([])
  await replaceFile(path, 'new', { mode: 0o600, machine: { clock }, isLocked: true })
  expect(await readFile(other, 'utf8')).toBe('of another process')
  expect((await lstat(path)).isFile()).toBe(true)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await readdir(folder)).sort()).toEqual(['file', 'other'])
})

test('a file that is there keeps its permissions where that is asked for', async () => {
  const path = join(await newFolder(), 'file')
  await writeFile(path, 'old')
  await chmod(path, 0o666)
  const { clock } = busyFile([])
  await replaceFile(path, 'new', { mode: 0o600, machine: { clock }, keeps: 'owner-and-permissions' })
  expect((await stat(path)).mode & 0o777).toBe(0o666)
  await replaceFile(path, 'newer', { mode: 0o600, machine: { clock } })
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

test('a new file is written whole, and nothing that is there is replaced, with no part left beside it', async () => {
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
