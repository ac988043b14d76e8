import { createReadStream } from 'node:fs'
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  beginSegment,
  readSegment,
  reopenSegment,
  type StoredTarget,
} from '../../../src/webhook/forward/segment.ts'
import { emptyFolder, recordedLine } from '../log/recorded.ts'

const target: StoredTarget = { key: 'one', type: null, address: 'http://127.0.0.1:8080/one' }
const at = '2026-03-01T10:00:00.000Z'

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('add' as const), body: fc.string({ unit: 'grapheme' }) }),
    fc.record({ kind: fc.constant('done' as const), event: fc.nat(12) }),
  ),
  { maxLength: 20 },
)

const cuts = fc.oneof(
  fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ linesBack: fc.nat(4), bytesBack: fc.nat(3) }),
)

test('a segment that was cut at any byte says exactly what was written before, also once it was gone on with', async () => {
  const folder = await emptyFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, cuts, fc.boolean(), async (all, cut, goesOn) => {
      const path = join(folder, `${run++}.ndjson`)
      const segment = beginSegment(path, target)
      const headEnd = segment.size()
      const written = all.map(step => {
        if (step.kind === 'add') segment.add({ at, headers: { 'content-type': 'x' }, body: step.body })
        else segment.done(step.event)
        return { step, end: segment.size() }
      })
      const length =
        'share' in cut
          ? Math.round(cut.share * segment.size())
          : ([headEnd, ...written.map(({ end }) => end)].at(-1 - cut.linesBack) ?? headEnd) - cut.bytesBack
      segment.close()
      await truncate(path, length)
      // A line that lacks its newline alone is whole: a disk that fails may leave one, whose event was acknowledged.
      const whole = written.filter(({ end }) => end - 1 <= length).map(({ step }) => step)
      const model: { body: string; isLacking: boolean }[] = []
      for (const step of whole) {
        const known = step.kind === 'done' ? model[step.event] : undefined
        if (step.kind === 'add') model.push({ body: step.body, isLacking: true })
        else if (known !== undefined) known.isLacking = false
      }
      const expected = () => model.flatMap(({ body, isLacking }) => (isLacking ? [body] : []))
      expect(await contentOf(path)).toEqual(length < headEnd - 1 ? [] : expected())
      if (!goesOn || length < headEnd - 1) return
      const again = reopenSegment(path)
      for (const [number, known] of model.entries()) {
        if (number % 2 === 1) continue
        again.done(number)
        known.isLacking = false
      }
      again.close()
      expect(await contentOf(path)).toEqual(expected())
    }),
    { numRuns: 300 },
  )
})

test('garbage between its lines is passed over, and numbers no event', async () => {
  const path = join(await emptyFolder(), 'segment.ndjson')
  const segment = beginSegment(path, target)
  segment.add({ at, headers: {}, body: 'first' })
  segment.close()
  const garbage = [
    '',
    '{',
    '{"kind":"done"}',
    '{"kind":"done","event":1.5}',
    '\u0000\u0001',
    '[]',
    'null',
    '"ü',
  ]
  await writeFile(
    path,
    `${await readFile(path, 'utf8')}${garbage.join('\n')}\n${recordedLine('second')}` +
      `${recordedLine('third')}{"kind":"done","event":1}\n{"kind":"done","event":99}\n`,
  )
  expect(await contentOf(path)).toEqual(['first', 'third'])
})

test.each([
  ['of another program', '{"name":"a package"}\n'],
  ['of another program, without a newline', 'precious'],
  ['of a later version', '{"kind":"forward","version":2,"target":{}}\n'],
  ['of a later version that was torn', '{"kind":"forward","version":2,"targ'],
  ['of a later version, without a newline', '{"kind":"forward","version":2,"target":{}}'],
  ['that is a recording', recordedLine('an event')],
])('a file %s is none', async (_, content) => {
  const path = join(await emptyFolder(), 'segment.ndjson')
  await writeFile(path, content)
  expect(await readSegment(createReadStream(path))).toBeUndefined()
})

test('an event of a later version makes the whole file one that cannot be read', async () => {
  const path = join(await emptyFolder(), 'segment.ndjson')
  const segment = beginSegment(path, target)
  segment.add({ at, headers: {}, body: 'first' })
  segment.close()
  const later = '{"kind":"recorded","version":2}\n'
  await writeFile(path, (await readFile(path, 'utf8')) + later)
  await expect(readSegment(createReadStream(path))).rejects.toMatchObject({ kind: 'usage' })
})

test('an empty file, as a process leaves that dies between opening and writing, holds nothing', async () => {
  const path = join(await emptyFolder(), 'segment.ndjson')
  await writeFile(path, '')
  expect(await readSegment(createReadStream(path))).toEqual({ target: undefined, lacking: [] })
})

test('a segment that cannot be begun leaves no file', async () => {
  const folder = await emptyFolder()
  const disk = {
    write() {
      throw new Error('ENOSPC')
    },
    truncate() {},
  }
  expect(() => beginSegment(join(folder, 'segment.ndjson'), target, disk)).toThrow('ENOSPC')
  expect(await readdir(folder)).toEqual([])
})

test('a segment is for its owner alone, and remove() takes it away', async () => {
  const folder = await emptyFolder()
  const path = join(folder, 'segment.ndjson')
  const segment = beginSegment(path, target)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  segment.remove()
  expect(await readdir(folder)).toEqual([])
})

test.each([
  ['an event', 'add', 1],
  ['a note', 'done', 0],
  ['nothing', 'nothing', undefined],
])(
  'one that removes it after another process wrote %s to it leaves that for the next one',
  async (_, written, left) => {
    const path = join(await emptyFolder(), 'segment.ndjson')
    const event = { at, headers: {}, body: 'an event' }
    const sleeper = beginSegment(path, target)
    sleeper.add(event)
    const segment = reopenSegment(path)
    if (written === 'add') sleeper.add(event)
    if (written === 'done') sleeper.done(0)
    segment.done(0)
    segment.remove()
    sleeper.close()
    if (left === undefined) await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
    else expect(await contentOf(path)).toHaveLength(left)
  },
)

test('an event that somebody else changed is not read back as another', async () => {
  const path = join(await emptyFolder(), 'segment.ndjson')
  const segment = beginSegment(path, target)
  const place = segment.add({ at, headers: {}, body: 'first' })
  expect(segment.read(place).body).toBe('first')
  await truncate(path, place.offset + 10)
  expect(() => segment.read(place)).toThrow('changed by somebody else')
  segment.close()
})

/** The bodies of the events that its target is without. */
async function contentOf(path: string): Promise<string[] | undefined> {
  const content = await readSegment(createReadStream(path))
  if (content === undefined) return undefined
  const segment = reopenSegment(path)
  try {
    return content.lacking.map(place => segment.read(place).body)
  } finally {
    segment.close()
  }
}
