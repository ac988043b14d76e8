import { createReadStream } from 'node:fs'
import { appendFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  beginLogFile,
  type LogEntry,
  reopenLogFile,
  type StoredTarget,
} from '../../../src/events/forward/event-log.ts'
import { readLogFile } from '../../../src/events/forward/recover-events.ts'
import { runs } from '../../helpers/every-case.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { recordedLine } from '../../helpers/recordings.ts'

const target: StoredTarget = { key: 'one', type: null, address: 'http://127.0.0.1:8080/one' }
const other: StoredTarget = { key: 'two', type: null, address: 'http://127.0.0.1:8080/two' }
const both = [0, 1]
const at = '2026-03-01T10:00:00.000Z'

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('add' as const), body: fc.string({ unit: 'grapheme' }) }),
    fc.record({ kind: fc.constant('done' as const), event: fc.nat(12), target: fc.constantFrom(...both) }),
  ),
  { maxLength: 20 },
)

const cuts = fc.oneof(
  fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ linesBack: fc.nat(4), bytesBack: fc.nat(3) }),
)

test('a file that was cut at any byte says exactly what each target lacks, also once it was gone on with', async () => {
  const folder = await temporaryFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, cuts, fc.boolean(), async (all, cut, goesOn) => {
      const path = join(folder, `${run++}.ndjson`)
      const file = beginLogFile(path, [target, other])
      const size = async () => (await stat(path)).size
      const headEnd = await size()
      const entries: LogEntry[] = []
      const written: { step: (typeof all)[number]; end: number }[] = []
      for (const step of all) {
        if (step.kind === 'add') entries.push(file.add({ at, headers: {}, body: step.body }, 2))
        else entries[step.event]?.done(step.target)
        written.push({ step, end: await size() })
      }
      const length =
        'share' in cut
          ? Math.round(cut.share * (await size()))
          : ([headEnd, ...written.map(({ end }) => end)].at(-1 - cut.linesBack) ?? headEnd) - cut.bytesBack
      file.close()
      await truncate(path, length)
      // A line that lacks its newline alone is whole: a disk that fails may leave one, whose event was acknowledged.
      const whole = written.filter(({ end }) => end - 1 <= length).map(({ step }) => step)
      const model: { body: string; unfinished: Set<number> }[] = []
      for (const step of whole) {
        if (step.kind === 'add') model.push({ body: step.body, unfinished: new Set(both) })
        else model[step.event]?.unfinished.delete(step.target)
      }
      const expected = () =>
        model.flatMap(({ body, unfinished }) =>
          unfinished.size > 0 ? [{ body, targets: [...unfinished] }] : [],
        )
      expect(await contentOf(path)).toEqual(length < headEnd - 1 ? [] : expected())
      if (!goesOn || length < headEnd - 1) return
      const again = reopenLogFile(path)
      const { unfinished } = (await readLogFile(createReadStream(path))) ?? { unfinished: [] }
      for (const { range, targets } of unfinished.filter((_, index) => index % 2 === 0)) {
        again.entry(range, targets.length).done(targets[0] ?? 0)
        model[range.number]?.unfinished.delete(targets[0] ?? 0)
      }
      again.close()
      expect(await contentOf(path)).toEqual(expected())
    }),
    { numRuns: runs(100) },
  )
})

test('garbage between its lines is passed over, and numbers no event', async () => {
  const path = join(await temporaryFolder(), 'segment.ndjson')
  const file = beginLogFile(path, [target])
  file.add({ at, headers: {}, body: 'first' }, 1)
  file.close()
  const garbage = [
    '',
    '{',
    '{"kind":"done"}',
    '{"kind":"done","event":0}',
    '{"kind":"done","event":1.5,"target":0}',
    '{"kind":"done","event":0,"target":1}',
    '{"kind":"done","event":0,"target":"0"}',
    '\u0000\u0001',
    '[]',
    'null',
    '"ü',
  ]
  await writeFile(
    path,
    `${await readFile(path, 'utf8')}${garbage.join('\n')}\n${recordedLine('second')}` +
      `${recordedLine('third')}{"kind":"done","event":1,"target":0}\n{"kind":"done","event":99,"target":0}\n`,
  )
  expect(await bodiesOf(path)).toEqual(['first', 'third'])
})

test.each([
  ['of another program', '{"name":"a package"}\n'],
  ['of another program, without a newline', 'precious'],
  ['of a later version', '{"kind":"forward","version":2,"targets":[]}\n'],
  ['of a later version that was torn', '{"kind":"forward","version":2,"targ'],
  ['that is a recording', recordedLine('an event')],
])('a file %s is none', async (_, content) => {
  const path = join(await temporaryFolder(), 'segment.ndjson')
  await writeFile(path, content)
  expect(await readLogFile(createReadStream(path))).toBeUndefined()
})

test('an event of a later version makes the whole file unreadable', async () => {
  const path = join(await temporaryFolder(), 'segment.ndjson')
  const file = beginLogFile(path, [target])
  file.add({ at, headers: {}, body: 'first' }, 1)
  file.close()
  const later = '{"kind":"recorded","version":3}\n'
  await writeFile(path, (await readFile(path, 'utf8')) + later)
  await expect(readLogFile(createReadStream(path))).rejects.toMatchObject({ kind: 'invalid' })
})

test('an empty file, as a process leaves that dies between opening and writing, holds nothing', async () => {
  const path = join(await temporaryFolder(), 'segment.ndjson')
  await writeFile(path, '')
  expect(await readLogFile(createReadStream(path))).toEqual({ targets: [], unfinished: [] })
})

test('a file that cannot be begun leaves no file', async () => {
  const folder = await temporaryFolder()
  const disk = {
    write() {
      throw new Error('ENOSPC')
    },
    truncate() {},
  }
  expect(() => beginLogFile(join(folder, 'segment.ndjson'), [target], { disk })).toThrow('ENOSPC')
  expect(await readdir(folder)).toEqual([])
})

test('only its owner can read the file, which is removed once each target has received everything', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'segment.ndjson')
  const file = beginLogFile(path, [target, other])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const entry = file.add({ at, headers: {}, body: 'first' }, 2)
  file.seal()
  entry.done(1)
  expect(await readdir(folder)).toEqual(['segment.ndjson'])
  entry.done(0)
  expect(await readdir(folder)).toEqual([])
})

test('a file with a torn end goes, too, when its target has everything in it', async () => {
  const path = join(await temporaryFolder(), 'segment.ndjson')
  const begun = beginLogFile(path, [target])
  begun.add({ at, headers: {}, body: 'first' }, 1)
  begun.close()
  await appendFile(path, '{"kind":"reco')
  const file = reopenLogFile(path)
  const { unfinished } = (await readLogFile(createReadStream(path))) ?? { unfinished: [] }
  const entries = unfinished.map(({ range }) => file.entry(range, 1))
  file.seal()
  for (const entry of entries) entry.done(0)
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
})

test.each([
  ['an event', 'add', 1],
  ['a note', 'done', 0],
  ['nothing', 'nothing', undefined],
])(
  'one that removes it after another process wrote %s to it leaves that for the next one',
  async (_, written, left) => {
    const path = join(await temporaryFolder(), 'segment.ndjson')
    const event = { at, headers: {}, body: 'an event' }
    const sleeper = beginLogFile(path, [target])
    const asleep = sleeper.add(event, 1)
    const file = reopenLogFile(path)
    const { unfinished } = (await readLogFile(createReadStream(path))) ?? { unfinished: [] }
    const entries = unfinished.map(({ range, targets }) => file.entry(range, targets.length))
    file.seal()
    if (written === 'add') sleeper.add(event, 1)
    if (written === 'done') asleep.done(0)
    for (const entry of entries) entry.done(0)
    sleeper.close()
    if (left === undefined) await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
    else expect(await contentOf(path)).toHaveLength(left)
  },
)

test('an event that another program changed is not read back as another', async () => {
  const path = join(await temporaryFolder(), 'segment.ndjson')
  const file = beginLogFile(path, [target])
  const entry = file.add({ at, headers: {}, body: 'first' }, 1)
  expect(entry.read().body).toBe('first')
  await truncate(path, (await stat(path)).size - 10)
  expect(() => entry.read()).toThrow('another program changed')
  file.close()
})

/** The events that targets lack, with the targets. */
async function contentOf(path: string): Promise<{ body: string; targets: readonly number[] }[] | undefined> {
  const content = await readLogFile(createReadStream(path))
  if (content === undefined) return undefined
  const file = reopenLogFile(path)
  try {
    return content.unfinished.map(({ range, targets }) => ({
      body: file.entry(range, targets.length).read().body,
      targets,
    }))
  } finally {
    file.close()
  }
}

async function bodiesOf(path: string): Promise<string[] | undefined> {
  return (await contentOf(path))?.map(({ body }) => body)
}
