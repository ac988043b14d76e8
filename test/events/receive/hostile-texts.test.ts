import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { timestampForms } from '../../../src/cli/commands/webhook/flags.ts'
import { createPrinter } from '../../../src/cli/commands/webhook/print-events.ts'
import type { Output } from '../../../src/cli/shell/context.ts'
import { colors } from '../../../src/cli/shell/output/colors.ts'
import { createOutput } from '../../../src/cli/shell/output/create-output.ts'
import { type Change, createConversationTracker } from '../../../src/events/conversation/index.ts'
import { parseLine, toRecordedLine } from '../../../src/events/recordings/index.ts'
import { jsonDocument, renderDocument } from '../../../src/events/transcript/index.ts'
import { readEvent } from '../../helpers/events.ts'
import { everyCase, runs } from '../../helpers/every-case.ts'
import { readTranscripts, recorded, recordedLine, stream } from '../../helpers/recordings.ts'
import { testCli } from '../../helpers/test-cli.ts'
import { wellFormed } from '../../helpers/well-formed.ts'
import { hostileText, hostileTexts, placesIn, replaceAll, replaceAt, sampleBodies } from './hostile-events.ts'

const bodies = sampleBodies()
const places = bodies.flatMap((body, index) => placesIn(body).map(place => ({ index, place })))
const looks = timestampForms.flatMap(timestamps => [true, false].map(compact => ({ timestamps, compact })))
const widths = [8, 10, 20, 31, 50, 80, 200]
const formats = ['text', 'markdown', 'json', 'html'] as const

/** These two bring a message and its edit, beside the one that is changed. */
const firstUpdates = [0, 3]

/**
 * Each place with each hostile text: too many to see each in every look, so that they take turns. `npm test` has an eighth of them:
 * each text at every eighth place.
 */
const single = places.flatMap(({ index, place }, which) =>
  hostileTexts.flatMap((text, turn) => {
    if (!everyCase && (which + turn) % 8 !== 0) return []
    const changed = bodies.map((body, at) => (at === index ? replaceAt(body, place, text) : body))
    const sent = changed.filter((_, at) => at === index || firstUpdates.includes(at))
    return { stream: sent, changed: changed[index] }
  }),
)

test('the samples contain every kind of change, and texts in many fields', () => {
  const kinds = new Set(changesOf(bodies).map(({ kind }) => kind))
  expect(changesOf(bodies.filter((_, at) => firstUpdates.includes(at))).map(({ kind }) => kind)).toEqual([
    'message',
    'edit',
  ])
  expect([...kinds].sort()).toEqual(['edit', 'event', 'malformed', 'message', 'status'])
  expect(places.length).toBeGreaterThan(200)
})

describe('one hostile text at a time in every field', () => {
  test('a terminal gets no control character but our colors', async () => {
    for (const [turn, { stream: sent }] of single.entries()) {
      const width = widths[turn % widths.length] ?? 80
      const shown = await printed(sent, { width, look: looks[turn % looks.length] })
      expectHarmless(shown)
      expectToFit(shown, width)
    }
  })

  test('each line of --json is the data', async () => {
    for (const { stream: sent } of single) await expectJsonLines(sent)
  })

  test('each recorded line is one line, and its body what came', () => {
    for (const { changed } of single) expectRecordedLine(changed)
  })

  test('webhook show is harmless in every format', async () => {
    for (const [turn, { stream: sent }] of single.entries())
      await expectDocument(sent, formats[turn % formats.length] ?? 'text')
  })
})

describe('hostile texts everywhere at once', () => {
  const everywhere = fc.infiniteStream(hostileText).map(texts => {
    const next = () => texts.next().value
    return bodies.map(body => replaceAll(body, next))
  })
  // The call ends, so that edits and statuses are not lost with their ids.
  const withIds = everywhere.map(changed =>
    changed.map((body, index) => {
      const ids = placesIn(bodies[index] ?? null).filter(
        ({ path, key }) => !key && ['id', 'messageId', 'type', 'status'].includes(String(path.at(-1))),
      )
      return ids.reduce((kept, place) => replaceAt(kept, place, textAt(bodies[index], place.path)), body)
    }),
  )
  const hostile = fc.oneof(everywhere, withIds)

  test('a terminal gets no control character but our colors', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostile,
        fc.constantFrom(...looks),
        fc.oneof(fc.constantFrom(...widths), fc.integer({ min: 8, max: 200 })),
        async (sent, look, width) => {
          const shown = await printed(sent, { width, look })
          expectHarmless(shown)
          expectToFit(shown, width)
        },
      ),
      { numRuns: runs(10) },
    )
  })

  test('each line of --json is the data', async () => {
    await fc.assert(fc.asyncProperty(hostile, expectJsonLines), { numRuns: runs(12) })
  })

  test('each recorded line is one line, and its body what came', () => {
    fc.assert(
      fc.property(hostile, sent => sent.forEach(expectRecordedLine)),
      { numRuns: runs(12) },
    )
  })

  test.each(formats)('webhook show as %s is harmless', async format => {
    await fc.assert(
      fc.asyncProperty(hostile, sent => expectDocument(sent, format)),
      { numRuns: runs(4) },
    )
  })

  test('a whole command prints nothing harmful on either stream', async () => {
    const [sent = []] = fc.sample(withIds, { numRuns: runs(1), seed: 7 })
    const [strange = []] = fc.sample(everywhere, { numRuns: runs(1), seed: 7 })
    const file = [...sent, ...strange].map((body, seconds) => recordedLine(body, { seconds })).join('')
    const cli = await testCli({ 'calls.ndjson': file })
    for (const flags of [
      ['--timestamps', 'iso'],
      ['--compact', '--role', 'user'],
      ['--type', 'none'],
      ['--json'],
    ]) {
      const { stdout, stderr } = await cli.runWith(
        { terminal: true },
        ...['webhook', 'replay', 'calls.ndjson', ...flags],
      )
      expectHarmless(stdout)
      expectHarmless(stderr, { tabs: true })
      expect(stdout + stderr).not.toBe('')
    }
    const all = await cli.runWith({ terminal: true }, 'webhook', 'show', 'calls.ndjson', '--all')
    expect(all.exitCode).toBe(0)
    expectHarmless(all.stdout + all.stderr)
  })
})

type Body = ReturnType<typeof sampleBodies>[number]

/** Output of the tail for these bodies, parsed from JSON. */
function changesOf(sent: readonly Body[]): Change[] {
  const tally = createConversationTracker()
  return sent.flatMap(body => tally.apply(readEvent(JSON.stringify(body))).changes)
}

async function printed(
  sent: readonly Body[],
  {
    width = 80,
    json = false,
    look,
  }: { width?: number; json?: boolean; look?: (typeof looks)[number] | undefined },
): Promise<string> {
  const { output, text } = terminal({ width, json })
  const print = await createPrinter(output, { ...look, now: () => Date.UTC(2026, 2, 1, 10) })
  for (const change of changesOf(sent)) print(change)
  return text()
}

function terminal({ width, json = false }: { width: number; json?: boolean }): {
  output: Output
  text(): string
} {
  let text = ''
  const sink = {
    isTTY: true,
    columns: width,
    write: (piece: string) => {
      text += piece
    },
  }
  return {
    output: createOutput({ stdout: sink, stderr: sink, cwd: '/' }, { json, env: {} }, { colors }),
    text: () => text,
  }
}

async function expectJsonLines(sent: readonly Body[]): Promise<void> {
  const shown = await printed(sent, { json: true })
  expectHarmless(shown)
  const lines = shown.split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.map(line => JSON.stringify(JSON.parse(line)))).toEqual(
    changesOf(sent).map(change => JSON.stringify(wellFormed(change))),
  )
}

function expectRecordedLine(body: Body | undefined): void {
  const text = JSON.stringify(body)
  const line = toRecordedLine({ at: '2026-03-01T10:00:00.000Z', headers: { 'x-hostile': text }, body: text })
  expectHarmless(line)
  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(parseLine(Buffer.from(line.slice(0, -1)))).toMatchObject({
    body: text,
    headers: { 'x-hostile': text },
  })
}

async function expectDocument(sent: readonly Body[], format: (typeof formats)[number]): Promise<void> {
  const { calls } = await readTranscripts(stream(recorded(...sent)))
  const { output, text } = terminal({ width: 80 })
  output.result(jsonDocument(calls), () => renderDocument(calls, { format, width: 80 }))
  expectHarmless(text(), { tabs: format === 'markdown' || format === 'html' })
  if (format === 'json')
    expect(JSON.parse(text())).toEqual(wellFormed(JSON.parse(JSON.stringify(jsonDocument(calls)))))
  if (format === 'text') expectToFit(text(), 80)
}

/** Every sequence that our own styles write, and no other. */
const ownSequences = (
  ['bold', 'dim', 'red', 'green', 'yellow', 'blueBright', 'cyan', 'magenta'] as const
).flatMap(style => colors[style]('|').split('|'))

function expectHarmless(shown: string, { tabs = false } = {}): void {
  const rest = withoutColour(shown)
  const found =
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u
  const harmful = found.exec(tabs ? rest.replaceAll('\t', ' ') : rest)
  if (harmful === null) return
  const around = rest.slice(Math.max(0, harmful.index - 40), harmful.index + 40)
  expect.fail(`a ${JSON.stringify(harmful[0])} in ${JSON.stringify(around)}`)
}

function expectToFit(shown: string, width: number): void {
  for (const line of withoutColour(shown).split('\n')) {
    const columns = stringWidth(line)
    if (columns > width) expect.fail(`${columns} columns, not ${width}: ${JSON.stringify(line)}`)
  }
}

function withoutColour(shown: string): string {
  return ownSequences.reduce((rest, sequence) => rest.replaceAll(sequence, ''), shown)
}

function textAt(body: Body | undefined, path: readonly (string | number)[]): string {
  let found: unknown = body
  for (const step of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined
  return String(found)
}
