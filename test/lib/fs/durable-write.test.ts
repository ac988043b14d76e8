import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { renameOver, syncFile, writeDurably } from '../../../src/lib/fs/durable-write.ts'

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
  await writeFile(path, 'old')
  const { clock } = busyFile([])
  const failing = writeDurably(path, 'new', {
    temporary: join(folder, 'temporary'),
    mode: 0o600,
    machine: { clock },
    prepare: async () => {
      throw new Error('no owner')
    },
  })
  await expect(failing).rejects.toThrow('no owner')
  expect(await readdir(folder)).toEqual(['file'])
  expect(await readFile(path, 'utf8')).toBe('old')
})

test('never writes through a temporary file that is there, where that is asked for', async () => {
  const folder = await newFolder()
  const temporary = join(folder, 'temporary')
  await writeFile(temporary, 'of another process')
  const { clock } = busyFile([])
  const options = { temporary, flag: 'wx', mode: 0o600, machine: { clock } } as const
  await expect(writeDurably(join(folder, 'file'), 'new', options)).rejects.toMatchObject({ code: 'EEXIST' })
  expect(await readFile(temporary, 'utf8')).toBe('of another process')
  await rm(temporary)
  await writeDurably(join(folder, 'file'), 'new', options)
  expect((await stat(join(folder, 'file'))).mode & 0o777).toBe(0o600)
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
