import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  loadRecordStore,
  type RecordEntry,
  type World,
  type WorldOptions,
} from '../../../src/sandbox/index.ts'
import { runs } from '../../helpers/every-case.ts'
import { failingDisk } from '../../helpers/failing-disk.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { toJsonLines } from '../../helpers/json-lines.ts'
import { openTestWorld, recordOf, startTestSandbox, tool } from '../../helpers/test-sandbox.ts'

const team: RecordEntry = { kind: 'team', version: 1, teamId: 't', apiKey: 'k' }
const book: RecordEntry = { kind: 'tool', record: { _id: 'a', function: { name: 'Größe 寸 👋' } } }
const faq: RecordEntry = {
  kind: 'faq',
  knowledgeBaseId: 'kb',
  entries: [{ id: '1', question: 'Où ?', answer: 'Là.' }],
}

/** The path of a journal with these entries. */
async function journalOf(...entries: readonly unknown[]): Promise<string> {
  const folder = await temporaryFolder(entries.length === 0 ? {} : { 'records.ndjson': toJsonLines(entries) })
  return join(folder, 'records.ndjson')
}

const toolsOf = ({ store }: World) => [...store.tools()].map(({ _id }) => _id)

/** Records without those of the team and of calls. */
const recordsOf = ({ store }: World) => store.snapshot().filter(({ kind }) => kind !== 'team')

test('ignores a last line that was cut at any byte, and continues after it', async () => {
  const data = await journalOf(team, book, faq)
  const whole = await readFile(data)
  const last = whole.length - Buffer.from(toJsonLines([faq])).length
  for (const length of [last, last + 1, last + 20, whole.length - 2, whole.length - 1]) {
    await writeFile(data, whole.subarray(0, length))
    const world = await openTestWorld({ data })
    expect(recordsOf(world)).toEqual([book])
    await world.resources.insertFaq('kb', [{ question: 'Où ?', answer: 'Là.' }])
    await world.close()
    const next = await openTestWorld({ data })
    expect(recordsOf(next)).toEqual(recordsOf(world))
    await next.close()
  }
})

test('keeps all concurrent changes in their order, and begins with one line for each record', async () => {
  const data = join(await temporaryFolder(), 'deep', 'records.ndjson')
  const world = await openTestWorld({ data })
  const made = await Promise.all(Array.from({ length: 200 }, () => world.resources.createTool(tool)))
  await Promise.all(made.map(({ _id }) => world.resources.updateTool(_id, { async: true })))
  await world.close()
  expect((await stat(data)).mode & 0o777).toBe(0o600)
  const next = await openTestWorld({ data })
  expect(toolsOf(next)).toEqual(made.map(({ _id }) => _id))
  expect(recordsOf(next)).toEqual(recordsOf(world))
  expect((await readFile(data, 'utf8')).trimEnd().split('\n')).toHaveLength(1 + made.length)
  expect((await stat(data)).mode & 0o777).toBe(0o600)
})

test('writes one line per change, and concurrent changes share a sync', async () => {
  const written: number[] = []
  let syncs = 0
  const real = failingDisk()
  const disk = {
    ...real,
    write(fd: number, bytes: Uint8Array) {
      written.push(bytes.length)
      return real.write(fd, bytes)
    },
    sync: async () => {
      syncs += 1
    },
  }
  const { resources } = await openTestWorld({ data: await journalOf(), disk })
  for (let made = 0; made < 50; made += 1) await resources.createTool(tool)
  const [line = 0] = written
  expect(written).toEqual(Array(50).fill(line))
  expect(syncs).toBe(50)
  await Promise.all(Array.from({ length: 50 }, () => resources.createTool(tool)))
  expect(written.slice(50)).toEqual([50 * line])
  expect(syncs).toBe(51)
})

test.each<[string, (data: string) => Promise<unknown>, string]>([
  ['its file was removed', data => rm(data), 'was removed'],
  [
    'another process took its lock',
    async data => {
      const folder = join(data, '..')
      for (const name of await readdir(folder))
        if (name.endsWith('.alive')) await rm(join(folder, name), { recursive: true })
    },
    'took its lock',
  ],
])('a change is refused with 507 once %s', async (_what, happen, reason) => {
  const data = await journalOf()
  const world = await openTestWorld({ data })
  await world.resources.createTool(tool)
  await happen(data)
  const refusal = { status: 507, message: expect.stringContaining(reason) }
  await expect(world.resources.createTool(tool)).rejects.toMatchObject(refusal)
  expect(toolsOf(world)).toHaveLength(1)
})

test('a full disk refuses changes with 507, and later ones are kept', async () => {
  const data = await journalOf()
  const disk = failingDisk()
  const log: unknown[] = []
  const options = { data, disk, minCompactedBytes: 4096, log: (event: unknown) => void log.push(event) }
  const world = await openTestWorld(options)
  const { _id } = await world.resources.createTool(tool)
  const updateOften = async () => {
    for (let count = 0; count < 200; count += 1) await world.resources.updateTool(_id, { messages: [] })
  }
  await updateOften()
  for (const room of [10, 0]) {
    disk.room = room
    await expect(world.resources.createTool(tool)).rejects.toMatchObject({ status: 507 })
    expect(toolsOf(world)).toEqual([_id])
    expect(log.splice(0)).toEqual([
      { kind: 'warning', message: expect.stringContaining('no space left on device') },
    ])
    disk.room = Number.POSITIVE_INFINITY
  }
  await updateOften()
  await world.close()
  expect(recordsOf(await openTestWorld({ data }))).toEqual(recordsOf(world))
})

test('a write that fails leaves nothing, and one that cannot be undone ends all writing', async () => {
  const data = await journalOf()
  let fails = true
  const disk = {
    ...failingDisk(),
    sync: async () => {
      if (fails) throw new Error('EIO: i/o error, fsync')
    },
  }
  const { resources } = await openTestWorld({ data, disk })
  const before = await readFile(data, 'utf8')
  await expect(resources.createTool(tool)).rejects.toMatchObject({ status: 507 })
  expect(await readFile(data, 'utf8')).toBe(before)
  disk.truncates = false
  await expect(resources.createTool(tool)).rejects.toMatchObject({ status: 507 })
  fails = false
  await expect(resources.createTool(tool)).rejects.toThrow('could not be repaired')
})

test('an invalid line stops the start with its position and is kept', async () => {
  const data = await journalOf(team, { kind: 'cat' }, book)
  const before = await readFile(data, 'utf8')
  await expect(openTestWorld({ data })).rejects.toMatchObject({
    kind: 'invalid',
    code: 'journal-damaged',
    details: { file: data, line: 2 },
  })
  expect(await readFile(data, 'utf8')).toBe(before)
  await writeFile(data, toJsonLines([team]))
  await openTestWorld({ data })
})

test('is read for a call without its key and its calls, which are not parsed', async () => {
  const call = { kind: 'call', record: {} }
  const data = await journalOf(team, call, book, call, faq)
  expect((await loadRecordStore(data)).snapshot()).toEqual([book, faq])
  const damaged = await journalOf(team, call, { kind: 'cat' })
  await expect(loadRecordStore(damaged)).rejects.toMatchObject({
    code: 'journal-damaged',
    details: { file: damaged, line: 3 },
  })
})

test('belongs to one sandbox, even through a link', async () => {
  const data = await journalOf()
  await openTestWorld({ data })
  const link = `${data}.link`
  await symlink(data, link)
  for (const file of [data, link])
    await expect(openTestWorld({ data: file })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'journal-in-use',
      details: { pid: process.pid },
    })
})

test('cannot be in a folder that is a file', async () => {
  const data = join(await journalOf(team), 'records')
  await expect(openTestWorld({ data })).rejects.toMatchObject({ kind: 'usage', code: 'journal-unusable' })
})

test('a call that ran when the sandbox was killed is over after the restart', async () => {
  const record = {
    id: 'CC-1',
    teamId: 't',
    direction: 'outbound',
    createdAt: '2026-01-05T12:00:00.000Z',
    updatedAt: '2026-01-05T12:00:00.000Z',
    customer: { number: '+12025550101' },
    status: 'ongoing',
    phoneVendor: '<phone_vendor_1>',
    phoneVendorDetails: { from: '+12025550102', to: '+12025550101' },
    monitor: { controlUrl: 'http://127.0.0.1:1/' },
  }
  const sandbox = await startTestSandbox({ data: await journalOf(team, { kind: 'call', record }) })
  expect(sandbox.apiKey).toBe('k')
  expect(await recordOf(sandbox, 'CC-1')).toMatchObject({ status: 'completed', callEndTriggerBy: 'system' })
})

test('stays within a few times the size of its records while it is written', async () => {
  const data = await journalOf()
  const minCompactedBytes = 4096
  const world = await openTestWorld({ data, minCompactedBytes })
  const made = await Promise.all(Array.from({ length: 5 }, () => world.resources.createTool(tool)))
  let largest = 0
  for (let version = 0; version < 600; version += 1) {
    const { _id = '' } = made[version % 5] ?? {}
    await world.resources.updateTool(_id, { server: { version, padding: 'x'.repeat(200) } })
    largest = Math.max(largest, (await stat(data)).size)
  }
  await world.close()
  expect(largest).toBeLessThan(10 * minCompactedBytes)
  expect(recordsOf(await openTestWorld({ data }))).toEqual(recordsOf(world))
  expect((await stat(data)).mode & 0o777).toBe(0o600)
})

test('a knowledge base of many entries is written as lines of bounded length', async () => {
  const data = await journalOf()
  const world = await openTestWorld({ data })
  const entries = Array.from({ length: 2345 }, (_, index) => ({ question: 'q', answer: String(index) }))
  await world.resources.insertFaq('kb', entries)
  await world.close()
  expect(recordsOf(await openTestWorld({ data }))).toEqual(recordsOf(world))
  expect((await readFile(data, 'utf8')).trimEnd().split('\n')).toHaveLength(1 + Math.ceil(2345 / 500))
})

test('has every acknowledged change at any moment, also while it is compacted', async () => {
  const kept = async (data: string) =>
    (await loadRecordStore(data)).snapshot().filter(({ kind }) => kind !== 'counters')
  const change = fc.record({
    kind: fc.constantFrom('tool', 'assistant', 'faq', 'restore'),
    id: fc.nat({ max: 6 }),
    isAwaited: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 40, maxLength: 150 }), async changes => {
      const data = await journalOf()
      const ids = { next: '' }
      const options: Partial<WorldOptions> = { data, minCompactedBytes: 1024, newId: () => ids.next }
      const world = await openTestWorld(options)
      const begun = world.snapshot()
      const pending: Promise<unknown>[] = []
      const make = (kind: string, id: number, version: number) => {
        ids.next = `${kind}-${id}`
        const padding = `${version}`.padEnd(200, 'x')
        if (kind === 'tool') return world.resources.createTool({ ...tool, server: { padding } })
        if (kind === 'assistant') return world.resources.createAssistant({ name: padding })
        if (kind === 'faq') return world.resources.insertFaq('kb', [{ question: padding, answer: 'a' }])
        return world.restore({ ...begun, entries: [{ kind: 'tool', record: { _id: 'r', version } }] })
      }
      for (const [version, { kind, id, isAwaited }] of changes.entries()) {
        pending.push(make(kind, id, version).catch(() => {}))
        if (!isAwaited) continue
        await Promise.all(pending.splice(0))
        expect(await kept(data)).toEqual(world.snapshot().entries)
      }
      await Promise.all(pending)
      await world.close()
      expect(await kept(data)).toEqual(world.snapshot().entries)
    }),
    { numRuns: runs(4) },
  )
})
