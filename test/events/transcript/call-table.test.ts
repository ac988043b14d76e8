import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import type { CallTranscript } from '../../../src/events/conversation/index.ts'
import { callTable } from '../../../src/events/transcript/index.ts'
import { localDate, timeOfDay } from '../../../src/lib/text/date-time.ts'
import { paint } from '../../../src/lib/text/text.ts'
import { readTranscripts, recorded, stream } from '../../helpers/recordings.ts'
import { triggeredCall } from '../../helpers/triggered-events.ts'
import { harmless, hostileCall } from './hostile-calls.ts'

const now = Date.parse('2026-03-01T10:00:00.000Z')

async function sample(changes: Partial<CallTranscript>): Promise<CallTranscript> {
  const [call] = (await readTranscripts(stream(recorded(...triggeredCall())))).calls
  if (call === undefined) throw new Error('no call')
  return { ...call, ...changes }
}

/** The lines of the table, with single blanks. */
function lines(calls: readonly CallTranscript[], width = 80): string[] {
  return paint(callTable(calls, width), { color: false })
    .split('\n')
    .map(line => line.replace(/ +/g, ' '))
}

const began = timeOfDay(now - 9000)

test('shows number, start, duration and outcome', async () => {
  const calls = [
    await sample({ callId: 'CC-7d3f2c1e-0000-4000-8000-000000000001' }),
    await sample({ callId: 'CC-8d3f2c1e-0000-4000-8000-000000000001', direction: 'inbound' }),
    await sample({
      callId: 'CC-9',
      direction: null,
      endAt: null,
      statuses: [{ status: 'finished', phoneCallStatus: 'completed', at: '2026-03-01T10:01:05.000Z' }],
      analysis: { successEvaluation: '10' },
    }),
    await sample({ callId: null, conversation: 2, ended: false, statuses: [], analysis: null }),
    await sample({
      callId: null,
      endAt: '2026-03-01T11:01:01.000Z',
      analysis: null,
      userNumber: null,
      statuses: [],
    }),
  ]
  expect(lines(calls)).toEqual([
    'call started number took msgs status success',
    `CC-7d3f2c1e ${localDate(now)} ${began} → +12025550123 0:09 2 answered pass`,
    `CC-8d3f2c1e ${localDate(now)} ${began} ← +12025550123 0:09 2 answered pass`,
    `CC-9 ${localDate(now)} ${began} – +12025550123 1:05 2 answered 10 of 10`,
    `-2 ${localDate(now)} ${began} → +12025550123 2 –`,
    `- ${localDate(now)} ${began} → ? 1:01:10 2 answered`,
  ])
})

test('shows several assistants and days', async () => {
  const other = now + 48 * 3_600_000
  const calls = [
    await sample({ callId: 'CC-1' }),
    await sample({
      callId: 'CC-2',
      assistantNumber: '+12025550111',
      startAt: new Date(other).toISOString(),
      endAt: new Date(other + 18_000).toISOString(),
    }),
  ]
  expect(lines(calls, 100)).toEqual([
    'call started numbers took msgs status success',
    `CC-1 ${localDate(now - 9000)} ${began} +12025550100 → +12025550123 0:09 2 answered pass`,
    `CC-2 ${localDate(other)} ${timeOfDay(other)} +12025550111 → +12025550123 0:18 2 answered pass`,
  ])
})

test('long common prefixes keep their distinguishing part', async () => {
  const id = (number: number) => `call-2026-11-21-${'long-'.repeat(20)}00000${number}`
  const [, first, second] = lines([await sample({ callId: id(1) }), await sample({ callId: id(2) })])
  expect(first).toMatch(/^….*-000001 /)
  expect(second).toMatch(/^….*-000002 /)
})

test('a narrow terminal drops columns but keeps ids and statuses', async () => {
  const [heading, row] = lines([await sample({}), await sample({ callId: 'CC-2' })], 30)
  expect(heading).toBe('call started status')
  expect(row).toBe(`CC-1 ${began} answered`)
})

test('no line is wider than the terminal, and untrusted texts stay text', () => {
  fc.assert(
    fc.property(
      fc.array(hostileCall, { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 30, max: 120 }),
      (calls, width) => {
        const painted = paint(callTable(calls, width), { color: false })
        expect(painted).toMatch(harmless)
        const rows = painted.split('\n')
        expect(rows).toHaveLength(calls.length + 1)
        for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(width)
      },
    ),
  )
})

test('the status of an ended call is its outcome, in yellow if nobody picked up', async () => {
  const at = '2026-03-01T10:00:01.000Z'
  const ended = (phoneCallStatus: string | null) => [
    { status: 'queued', phoneCallStatus: 'ringing', at },
    { status: 'finished', phoneCallStatus, at },
  ]
  const calls = await Promise.all(
    ['busy', 'NO_ANSWER', 'rejected', null].map((word, index) =>
      sample({ callId: `CC-${index}`, messages: [], statuses: ended(word), analysis: null }),
    ),
  )
  expect(lines(calls).map(line => line.split(' ').at(-1))).toEqual([
    expect.anything(),
    'busy',
    'no-answer',
    'busy',
    'unclear',
  ])
  const yellow = paint(callTable(calls, 80), { color: { ...noColors, yellow: text => `<${text}>` } })
  expect(yellow.match(/<.*?>/g)).toEqual(['<busy>', '<no-answer>', '<busy>'])
  const answered = await sample({ callId: 'CC-9', statuses: ended('failed') })
  expect(lines([answered])[1]).toContain(' answered')
})

const same = (text: string) => text
const noColors = {
  ...{ bold: same, dim: same, red: same, green: same, yellow: same },
  ...{ blueBright: same, cyan: same, magenta: same },
}
