import { ftruncateSync, readFileSync, statSync, writeSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Disk } from '../../../src/lib/fs/line-file.ts'
import {
  journalPath,
  type LockStore,
  loadLockText,
  openLockStore,
  readLockfile,
  replayJournal,
  type Section,
} from '../../../src/project/lockfile/index.ts'
import { contentOf, writeFiles } from '../../helpers/folders.ts'
import { folderOf } from '../apply/project-on-disk.ts'

const lockText = await loadLockText()

const lockName = 'callyard.lock.yaml'
const stamp = { serial: 1, applied: expect.any(String), by: expect.any(String) }
const empty: Section = { baseUrl: 'https://calls.example.com/', salt: 'salt', resources: {} }

async function openStore(path: string, section = empty, disk?: Disk): Promise<LockStore> {
  const { lockfile, text } = await readLockfile(path, lockName)
  return openLockStore({ path, name: lockName, lockfile, text, target: 'test', section, disk })
}

async function newStore(disk?: Disk) {
  const path = join(await folderOf({}), lockName)
  return { path, store: await openStore(path, empty, disk) }
}

const realDisk: Disk = {
  write: (file, bytes) => writeSync(file, bytes),
  truncate: (file, length) => ftruncateSync(file, length),
}

function create(store: LockStore, number: number): Promise<void> {
  return store.patch(`tool/${number}`, { recorded: { id: `t${number}`, body: {} } })
}

/** Identity of the file at a path: each write puts a new one there. */
function writing(path: string): string {
  const { ino, mtimeNs } = statSync(path, { bigint: true })
  return `${ino} ${mtimeNs}`
}

test('writes nothing before the first change, shows a change at once, and resolves when it is on disk', async () => {
  const { path, store } = await newStore()
  expect(store.state.section).toEqual(empty)
  await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' })
  const done = create(store, 1)
  expect(store.state.stateOf('tool/1')).toEqual({ id: 't1', body: {} })
  await done
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: store.state.section })
})

test('a thousand changes in two waves are two syncs of the disk, and each is on disk when it resolves', async () => {
  let syncs = 0
  const sync = async () => {
    syncs += 1
  }
  const { path, store } = await newStore({ ...realDisk, sync })
  const lost: number[] = []
  const wave = (first: number) =>
    Array.from({ length: 500 }, (_, at) =>
      create(store, first + at).then(() => {
        if (!readFileSync(journalPath(path), 'utf8').includes(`"tool/${first + at}"`)) lost.push(first + at)
      }),
    )
  const first = wave(1000)
  // The first writing has begun by now: the second wave comes too late for it.
  await new Promise(resolve => setImmediate(resolve))
  await Promise.all([...first, ...wave(2000)])
  expect(lost).toEqual([])
  // Once more for its first line, and for each time that the lockfile itself is written.
  expect(syncs).toBeLessThanOrEqual(5)
  const { lockfile } = await readLockfile(path, lockName)
  expect(Object.keys(lockfile.targets.test?.resources ?? {})).toHaveLength(1000)
})

test('a change that changes nothing writes nothing', async () => {
  const { path, store } = await newStore()
  await create(store, 1)
  await store.close()
  const before = writing(path)
  await store.change({ ...store.state.section })
  await create(store, 1)
  await store.close()
  expect(writing(path)).toBe(before)
})

test('undefined removes a resource and keeps the others and other targets', async () => {
  const other: Section = { ...empty, salt: 'other', resources: { 'kb/faq': { body: {} } } }
  const folder = await folderOf({ [lockName]: lockText({ targets: { other } }) })
  const store = await openStore(join(folder, lockName))
  await Promise.all([create(store, 1), create(store, 2)])
  await store.patch('tool/1', null)
  expect((await readLockfile(join(folder, lockName), lockName)).lockfile.targets).toEqual({
    other,
    test: { ...empty, ...stamp, resources: { 'tool/2': { id: 't2', body: {} } } },
  })
})

test('a resource named like an Object property is recorded only when created', async () => {
  const { store } = await newStore()
  expect(store.state.stateOf('tool/constructor')).toBeUndefined()
  expect(Reflect.apply(store.state.stateOf, store.state, ['constructor'])).toBeUndefined()
})

test('leaves neither temporary file nor journal, and a lockfile that does not mention one', async () => {
  const { path, store } = await newStore()
  await create(store, 1)
  expect(await readFile(path, 'utf8')).toContain('journal: {"target":"test","begun":"')
  await store.close()
  expect(await readFile(path, 'utf8')).toBe(lockText({ targets: { test: store.state.section } }))
  expect(await readdir(join(path, '..'))).toEqual(['.callyard', lockName, 'callyard.yaml'])
  expect(await readdir(join(path, '../.callyard'))).toEqual([])
})

test('ten thousand changes, one after the other: the lockfile is written a few times, and costs are linear', async () => {
  let bytes = 0
  const write = (file: number, some: Uint8Array) => {
    bytes += some.length
    return writeSync(file, some)
  }
  const { path, store } = await newStore({ ...realDisk, write, sync: async () => {} })
  const writings = new Set<string>()
  for (let number = 0; number < 10_000; number += 1) {
    await create(store, number % 100)
    if (number >= 64) writings.add(writing(path))
  }
  expect(bytes / 10_000).toBeLessThan(120)
  expect(writings.size).toBeLessThanOrEqual(8)
})

test.each([1, 63, 64, 65, 200])(
  'killed after %d changes: the next run finds them all, and settles them',
  async count => {
    const { path, store } = await newStore()
    for (let number = 0; number < count; number += 1) await create(store, number)
    const before = store.state.stateOf('tool/1')
    const intent = { body: {}, ...before, creating: { body: { sent: true } } }
    await store.intend('tool/1', { recorded: intent }, before ? { recorded: before } : null)
    // A line that was cut off was never acknowledged.
    await appendFile(journalPath(path), '{"address":"tool/cut')
    const whole = { test: store.state.section }
    expect((await readLockfile(path, lockName)).lockfile.targets).toEqual(whole)
    await replayJournal(path, lockName)
    expect((await readLockfile(path, lockName)).lockfile.targets).toEqual(whole)
    expect(await readFile(path, 'utf8')).toBe(lockText({ targets: whole }))
    expect(await readdir(join(path, '../.callyard'))).toEqual([])
  },
)

test('killed after the lockfile was written, and before the journal was removed: nothing is asked', async () => {
  const lines: Uint8Array[] = []
  const write = (file: number, some: Uint8Array) => {
    lines.push(some.slice())
    return writeSync(file, some)
  }
  const { path, store } = await newStore({ ...realDisk, write })
  for (let number = 0; number < 3; number += 1) await create(store, number)
  await store.close()
  const journal = Buffer.concat(lines)
  expect(journal.toString()).toMatch(/\n\{"base":".*\n$/)
  await writeFile(journalPath(path), journal)
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: store.state.section })
})

test('a lockfile changed after a kill is a conflict until it is restored', async () => {
  const { path, store } = await newStore()
  await create(store, 1)
  await writeFile(path, 'version: 1\ntargets: {}\n')
  await expect(replayJournal(path, lockName)).rejects.toMatchObject({
    kind: 'conflict',
    code: 'journal-of-other-lockfile',
  })
  await rm(path)
  await replayJournal(path, lockName)
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: store.state.section })
})

test('journals a target that replaces another one as a whole', async () => {
  const old: Section = { ...empty, teamId: 'old', resources: { 'tool/0': { id: 't0', body: {} } } }
  const folder = await folderOf({ [lockName]: lockText({ targets: { test: old } }) })
  const store = await openStore(join(folder, lockName), { ...empty, salt: 'new' })
  await store.patch('tool/1', { recorded: { id: 't1', body: {} } }, 'new')
  const renewed = { ...empty, salt: 'new', teamId: 'new', resources: { 'tool/1': { id: 't1', body: {} } } }
  expect((await readLockfile(join(folder, lockName), lockName)).lockfile.targets).toEqual({
    test: { ...renewed, ...stamp },
  })
})

test.each([
  ['damaged', 'nonsense'],
  ['of another version', '{"line":"resource","address":"tool/2","recorded":{"id":"t2","body":{}}}'],
])('a journal that is %s is a conflict', async (_, line) => {
  const { path, store } = await newStore()
  await create(store, 1)
  await appendFile(journalPath(path), `${line}\n`)
  await expect(readLockfile(path, lockName)).rejects.toMatchObject({ code: 'lockfile-journal-damaged' })
})

test.each([
  ['changed', true, (path: string) => writeFile(path, 'mine')],
  ['deleted', true, (path: string) => rm(path)],
  ['created', false, (path: string) => writeFile(path, 'mine')],
])(
  'a lockfile that another program %s meanwhile is a conflict and stays unchanged',
  async (_, isOpen, edit) => {
    const { path, store } = await newStore()
    if (isOpen) await create(store, 1)
    await edit(path)
    const left = await contentOf(path)
    for (const number of [2, 3]) {
      await expect(create(store, number)).rejects.toMatchObject({
        kind: 'conflict',
        code: 'lockfile-changed',
        details: { lockfile: lockName },
      })
    }
    expect(store.failure).toMatchObject({ kind: 'conflict' })
    expect(await contentOf(path)).toBe(left)
  },
)

test('a failure is kept, fails each change of that writing, and a later change tries again with all of them', async () => {
  const folder = await folderOf({ place: 'a file where a folder is to be' })
  const path = join(folder, 'place', lockName)
  const store = openLockStore({
    path,
    name: lockName,
    lockfile: { targets: {} },
    text: undefined,
    target: 'test',
    section: empty,
  })
  expect(store.failure).toBeUndefined()
  const results = await Promise.allSettled([create(store, 1), create(store, 2)])
  expect(results).toMatchObject([
    { status: 'rejected', reason: { kind: 'usage' } },
    { status: 'rejected', reason: { kind: 'usage' } },
  ])
  expect(store.failure).toMatchObject({ kind: 'usage', message: expect.stringContaining('cannot write') })
  // What is not on disk is still known: the resource does exist.
  expect(store.state.stateOf('tool/1')).toBeDefined()
  await rm(join(folder, 'place'))
  await mkdir(join(folder, 'place'))
  await create(store, 3)
  const { lockfile } = await readLockfile(path, lockName)
  expect(Object.keys(lockfile.targets.test?.resources ?? {})).toEqual(['tool/1', 'tool/2', 'tool/3'])
})

test('attempts a change of its own if it arrives during a failed write', async () => {
  const folder = await folderOf({})
  const path = join(folder, lockName)
  const store = await openStore(path)
  await writeFiles(folder, { [lockName]: 'theirs' })
  const first = create(store, 1)
  const failed = expect(first).rejects.toMatchObject({ kind: 'conflict' })
  const second = first.catch(async () => {
    await rm(path)
    await create(store, 2)
  })
  await failed
  await second
  const { lockfile } = await readLockfile(path, lockName)
  expect(Object.keys(lockfile.targets.test?.resources ?? {})).toEqual(['tool/1', 'tool/2'])
})

test('reverts what could not be recorded, so that a later write does not report it as sent', async () => {
  const folder = await folderOf({ place: 'a file where a folder is to be' })
  const path = join(folder, 'place', lockName)
  const section = { ...empty, resources: { 'tool/1': { id: 't1', body: {} } } }
  const store = openLockStore({
    path,
    name: lockName,
    lockfile: { targets: {} },
    text: undefined,
    target: 'test',
    section,
  })
  const creating = { body: { name: 'sent' } }
  const before = { id: 't1', body: {} }
  const intents = [
    store.intend('tool/1', { recorded: { ...before, creating } }, { recorded: before }),
    store.intend('tool/2', { recorded: { body: {}, creating } }, null),
  ]
  expect(await Promise.allSettled(intents)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  expect(store.state.section).toEqual({ ...section, ...stamp })
  await rm(join(folder, 'place'))
  await mkdir(join(folder, 'place'))
  await create(store, 3)
  const { lockfile } = await readLockfile(path, lockName)
  expect(lockfile.targets.test?.resources).toEqual({
    ...section.resources,
    'tool/3': { id: 't3', body: {} },
  })
})

test('closed while a change is being written: the lockfile has it', async () => {
  const path = join(await folderOf({}), lockName)
  let onSync = () => {}
  const isSyncing = new Promise<void>(resolve => {
    onSync = resolve
  })
  let onEnd = () => {}
  const mayEnd = new Promise<void>(resolve => {
    onEnd = resolve
  })
  const sync = () => {
    onSync()
    return mayEnd
  }
  const store = await openStore(path, empty, { ...realDisk, sync })
  const change = create(store, 1)
  await isSyncing
  const closing = store.close()
  onEnd()
  await Promise.all([change, closing])
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: store.state.section })
})

test('does not send the first step if the lockfile cannot be written', async () => {
  const { path, store } = await newStore()
  const obstacle = join(path, `../.${lockName}.callyard-tmp`)
  await mkdir(obstacle)
  const intent = () => store.intend('tool/1', { recorded: { body: {}, creating: { body: {} } } }, null)
  await expect(intent()).rejects.toMatchObject({ kind: 'usage' })
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: { ...empty, ...stamp } })
  await rm(obstacle, { recursive: true })
  await intent()
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: store.state.section })
})

test.each([0, 1, 63, 64, 200])(
  'reports a journal lost after %d changes until its line is removed from the lockfile',
  async before => {
    const path = join(await folderOf({ [lockName]: lockText({ targets: { test: empty } }) }), lockName)
    const store = await openStore(path, (await readLockfile(path, lockName)).lockfile.targets.test)
    await store.intend('tool/a', { recorded: { body: {}, creating: { body: {} } } }, null)
    for (let number = 0; number < before; number += 1) await create(store, number)
    const journal = await readFile(journalPath(path))
    await rm(journalPath(path))
    const lost = { code: 'journal-lost', details: { journal: journalPath(path), target: 'test' } }
    await expect(readLockfile(path, lockName)).rejects.toMatchObject(lost)
    await expect(replayJournal(path, lockName)).rejects.toMatchObject(lost)
    // An empty file is not what the run wrote.
    await writeFile(journalPath(path), '')
    await expect(readLockfile(path, lockName)).rejects.toMatchObject(lost)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/^journal: .*\n/m, ''))
    await rm(journalPath(path))
    const known = Object.keys((await readLockfile(path, lockName)).lockfile.targets.test?.resources ?? {})
    expect(known.length).toBe(before < 63 ? 0 : before < 127 ? 64 : 128)
    await writeFile(path, text)
    await writeFile(journalPath(path), journal)
    await replayJournal(path, lockName)
    expect(await readFile(path, 'utf8')).toBe(lockText({ targets: { test: store.state.section } }))
  },
)

test('a lockfile that cannot be written meanwhile fails no step: the journal has them all', async () => {
  const { path, store } = await newStore()
  await create(store, 0)
  await mkdir(join(path, `../.${lockName}.callyard-tmp`))
  for (let number = 0; number < 200; number += 1) await create(store, number)
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: store.state.section })
  await expect(store.close()).rejects.toMatchObject({ kind: 'usage' })
  await rm(join(path, `../.${lockName}.callyard-tmp`), { recursive: true })
  await replayJournal(path, lockName)
  expect((await readLockfile(path, lockName)).lockfile.targets).toEqual({ test: store.state.section })
})

test('a change is not acknowledged when another process took the lock while it was written', async () => {
  const path = join(await folderOf({}), lockName)
  const { lockfile, text } = await readLockfile(path, lockName)
  let isHeld = true
  const disk: Disk = {
    ...realDisk,
    async sync() {
      isHeld = false
    },
  }
  const options = { path, name: lockName, lockfile, text, target: 'test', section: empty, disk }
  const store = openLockStore({ ...options, lock: { isHeld: () => isHeld } })
  await expect(create(store, 1)).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('another process took its lock'),
  })
})
