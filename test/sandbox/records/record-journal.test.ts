import { chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadRecordStore, toJournalLine } from '../../../src/sandbox/records/journal-lines.ts'
import { openJournal } from '../../../src/sandbox/records/record-journal.ts'
import type { RecordEntry, RecordStore } from '../../../src/sandbox/records/store.ts'
import { failingDisk } from '../../forward/failing-disk.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { entries, entriesIn, folder } from './journal-file.ts'

const isCurrent = () => true
const load = (store: RecordStore) => ({ store })

test('loads a journal that was cut at any byte of its last entry without it', async () => {
  const file = join(await folder(), 'records.ndjson')
  const whole = Buffer.from(entries.map(toJournalLine).join(''))
  const last = Buffer.byteLength(toJournalLine(entries[2] as RecordEntry))
  for (let cut = 1; cut <= last; cut += 1) {
    await writeFile(file, whole.subarray(0, whole.length - cut))
    expect(await entriesIn(file)).toEqual(entries.slice(0, 2))
  }
  await writeFile(file, whole)
  expect(await entriesIn(file)).toEqual(entries)
  for (const cut of [1, 2, Math.floor(last / 2), last - 1]) {
    await writeFile(file, whole.subarray(0, whole.length - cut))
    const { journal } = await openJournal(file, { load, clock: realClock })
    await journal.append(entries[2] as RecordEntry, isCurrent)
    await journal.close()
    expect(await entriesIn(file)).toEqual(entries)
  }
})

test('keeps all concurrent changes, in order, in a file that only its owner can read', async () => {
  const file = join(await folder(), 'deep', 'records.ndjson')
  const { journal } = await openJournal(file, { load, clock: realClock })
  const tools = Array.from(
    { length: 500 },
    (_, index): RecordEntry => ({ kind: 'tool', record: { _id: `t${index}` } }),
  )
  await Promise.all(tools.map(entry => journal.append(entry, isCurrent)))
  await journal.close()
  expect(await entriesIn(file)).toEqual(tools)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('the start leaves one line per record', async () => {
  const file = join(await folder(), 'records.ndjson')
  const changes = Array.from(
    { length: 50 },
    (_, index): RecordEntry => ({ kind: 'tool', record: { _id: 'a', index } }),
  )
  await writeFile(file, changes.map(toJournalLine).join(''), { mode: 0o644 })
  const { journal } = await openJournal(file, { load, clock: realClock })
  await journal.close()
  expect(await readFile(file, 'utf8')).toBe('{"kind":"tool","record":{"_id":"a","index":49}}\n')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('an invalid line stops the start with its position and is kept', async () => {
  const file = join(await folder(), 'records.ndjson')
  const text = `${toJournalLine(entries[0] as RecordEntry)}{"kind":"cat"}\n${toJournalLine(entries[1] as RecordEntry)}`
  await writeFile(file, text)
  await expect(openJournal(file, { load, clock: realClock })).rejects.toMatchObject({
    kind: 'invalid',
    code: 'journal-damaged',
    details: { file, line: 2 },
  })
  expect(await readFile(file, 'utf8')).toBe(text)
  await writeFile(file, toJournalLine(entries[0] as RecordEntry))
  await (await openJournal(file, { load, clock: realClock })).journal.close()
})

test('writes one line per change, and concurrent changes share a sync', async () => {
  const file = join(await folder(), 'records.ndjson')
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
  const { journal } = await openJournal(file, { load, clock: realClock, disk })
  const tool = (index: number): RecordEntry => ({ kind: 'tool', record: { _id: `t${1000 + index}` } })
  for (let index = 0; index < 50; index += 1) await journal.append(tool(index), isCurrent)
  const line = Buffer.byteLength(toJournalLine(tool(0)))
  expect(written).toEqual(Array.from({ length: 50 }, () => line))
  expect(syncs).toBe(50)
  await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(tool(index), isCurrent)))
  // The first one goes at once; the others wait for it together.
  expect(written.slice(50)).toEqual([line, 49 * line])
  expect(syncs).toBe(52)
  await journal.close()
})

test('an entry is not acknowledged when another process took the lock while it was written', async () => {
  const path = await folder()
  const file = join(path, 'records.ndjson')
  let isTaken = false
  const disk = {
    ...failingDisk(),
    // Another host takes the lock over, and reads the file as it was.
    async sync() {
      for (const name of await readdir(path))
        if (isTaken && name.endsWith('.alive')) await rm(join(path, name), { recursive: true })
    },
  }
  const { journal } = await openJournal(file, { load, clock: realClock, disk })
  await journal.append(entries[1] as RecordEntry, isCurrent)
  isTaken = true
  await expect(journal.append(entries[2] as RecordEntry, isCurrent)).rejects.toThrow('took its lock')
  await expect(journal.append(entries[2] as RecordEntry, isCurrent)).rejects.toThrow('took its lock')
  await journal.close()
})

test('an entry is not acknowledged once the file was removed', async () => {
  const file = join(await folder(), 'records.ndjson')
  const { journal } = await openJournal(file, { load, clock: realClock })
  await journal.append(entries[1] as RecordEntry, isCurrent)
  await rm(file)
  await expect(journal.append(entries[2] as RecordEntry, isCurrent)).rejects.toThrow('was removed')
  await journal.close()
})

test('builds a call without its key, and reports the line that is not an entry', async () => {
  const file = join(await folder(), 'records.ndjson')
  const call = '{"kind":"call","record":{}}\n'
  const [team = '', tool = '', faq = ''] = entries.map(toJournalLine)
  await writeFile(file, team + call + tool + call + faq)
  expect((await loadRecordStore(file)).snapshot()).toEqual(entries.slice(1))
  await writeFile(file, `${team}${call}\n{"kind":"cat"}\n`)
  await expect(loadRecordStore(file)).rejects.toMatchObject({
    code: 'journal-damaged',
    details: { file, line: 4 },
  })
})

test('rejects a second sandbox on the same journal, even through a link; after a kill the next one starts immediately', async () => {
  const path = await folder()
  const file = join(path, 'records.ndjson')
  const { journal } = await openJournal(file, { load, clock: realClock })
  await symlink(file, join(path, 'link'))
  await expect(openJournal(file, { load, clock: realClock })).rejects.toMatchObject({ kind: 'conflict' })
  await expect(openJournal(join(path, 'link'), { load, clock: realClock })).rejects.toMatchObject({
    kind: 'conflict',
  })
  // As a killed sandbox leaves it: the lock is fresh, its process is gone.
  await writeFile(`${file}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), token: 'dead' }))
  const { journal: next } = await openJournal(file, { load, clock: realClock })
  await next.close()
  await journal.close().catch(() => {})
})

test('a folder that cannot be written is an error of the journal', async () => {
  const path = await folder()
  await writeFile(join(path, 'file'), '')
  await expect(openJournal(join(path, 'file', 'records'), { load, clock: realClock })).rejects.toMatchObject({
    kind: 'usage',
    code: 'journal-unusable',
  })
  await chmod(path, 0o700)
})
