import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { colors } from '../../src/cli/output/colors.ts'
import { paint } from '../../src/lib/text/text.ts'
import { createTranscriptPrinter, renderTailEvent } from '../../src/transcript/terminal.ts'
import type { TailEvent } from '../../src/webhook/tail.ts'
import { codePoint } from '../helpers/code-point.ts'

describe('a message', () => {
  test('is next to its speaker with a hanging indent', () => {
    expect(
      plain(
        40,
        said('assistant', 'Good morning, how can I help you on this fine day?'),
        said('user', 'Hello'),
      ),
    ).toBe(
      [
        'assistant  Good morning, how can I help',
        '           you on this fine day?',
        'user       Hello',
      ].join('\n'),
    )
  })

  test('measures wide characters and emoji like a terminal', () => {
    const lines = plain(
      31,
      said(
        'user',
        '日本語のとても長い文章です 👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦',
      ),
    ).split('\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(31)
    expect(lines.join('').replaceAll(' ', '')).toContain('日本語のとても長い文章です')
  })

  test('moves below its speaker on a narrow terminal', () => {
    expect(plain(20, said('user', 'one two three four five'))).toBe('user\n  one two three four\n  five')
  })

  test('is colored by role, never by its content', () => {
    const view = createTranscriptPrinter(80)
    renderTailEvent({ kind: 'status', callId: 'c1', status: 'ongoing' }, view)
    const painted = paint(
      renderTailEvent(said('assistant', 'red \u001b[31malert\u001b[0m \u202eevil'), view) ?? '',
      { color: colors },
    )
    expect(painted).toBe('\u001b[36massistant\u001b[39m  red \\x1b[31malert\\x1b[0m \\u202eevil')
  })

  test('has the tag of its call while several are live, and until a line names the remaining one', () => {
    const show = shower(60)
    expect(show(said('user', 'a', 'CC-111111-aaa'))).toBe('── CC-111111-aaa\nuser       a')
    expect(show(said('user', 'b', 'CC-2'))).toBe('CC-2          user       b')
    expect(show(said('user', 'c', 'CC-111111-aaa'))).toBe('CC-111111-aaa user       c')
    show({ kind: 'status', callId: 'CC-111111-aaa', status: 'finished', ended: true })
    expect(show(said('user', 'd', 'CC-2'))).toBe('── CC-2 continues\nuser       d')
    expect(show(said('user', 'e', 'CC-2'))).toBe('user       e')
    // A repeat that arrives late.
    expect(show(said('user', 'f', 'CC-111111-aaa'))).toBe('── CC-111111-aaa\nuser       f')
    expect(show(said('user', 'g', 'CC-2'))).toBe('── CC-2 continues\nuser       g')
  })

  test('is not announced right after a status of its call', () => {
    const show = shower(60)
    const ongoing = (callId: string): TailEvent => ({ kind: 'status', callId, status: 'ongoing' })
    show(ongoing('CC-1'))
    show(ongoing('CC-2'))
    show({ kind: 'status', callId: 'CC-1', status: 'finished', ended: true })
    expect(show(ongoing('CC-2'))).toBe('── CC-2 · ongoing')
    expect(show(said('user', 'a', 'CC-2'))).toBe('user       a')
  })

  test('has a tag column that grows and never shrinks', () => {
    const show = shower(80)
    const columnOf = (callId: string) => show(said('user', 'a', callId)).indexOf('user')
    for (const callId of ['c1', 'c2', 'order-4711-second-try'])
      show({ kind: 'status', callId, status: 'queued' })
    expect(['c1', 'order-4711-second-try', 'c2', 'c1'].map(columnOf)).toEqual([22, 22, 22, 22])
  })

  test('has a tag in a color that no other live call has', () => {
    const view = createTranscriptPrinter(80)
    const colorOf = (callId: string) => {
      const painted = paint(renderTailEvent(said('user', 'a', callId), view) ?? '', { color: colors })
      return /(\u001b\[\d+m)CC-\d/.exec(painted)?.[1]
    }
    const ids = ['CC-1', 'CC-2', 'CC-3', 'CC-4', 'CC-5']
    for (const callId of ids) renderTailEvent({ kind: 'status', callId, status: 'queued' }, view)
    const first = ids.map(colorOf)
    expect(new Set(first).size).toBe(5)
    expect(ids.map(colorOf)).toEqual(first)
    renderTailEvent({ kind: 'ended', callId: 'CC-2', type: 'status-update' }, view)
    expect(colorOf('CC-6')).toBe(first[1])
  })

  test('identifies calls by unique id prefixes in status lines and tags', () => {
    const show = shower(60)
    const rest = '-0000-4000-8000-000000000001'
    const queued = (callId: string): TailEvent => ({ kind: 'status', callId, status: 'queued' })
    expect(show(queued(`CC-7d3f2c1e${rest}`))).toBe('── CC-7d3f2c1e · queued')
    expect(show(queued(`CC-8d3f2c9e${rest}`))).toBe('── CC-8d3f2c9e · queued')
    expect(show(said('user', 'a', `CC-7d3f2c1e${rest}`))).toBe('CC-7d3f2c1e user       a')
    expect(show(said('user', 'b', `CC-8d3f2c9e${rest}`))).toBe('CC-8d3f2c9e user       b')
    // Their first eleven characters are the same.
    expect(show(queued(`CC-7d3f2c1e-5${rest}`))).toBe('── CC-7d3f2c1e-5 · queued')
    expect(show(said('user', 'c', `CC-7d3f2c1e-5${rest}`))).toBe('CC-7d3f2c1e-5 user       c')
  })

  test('tags calls without id with the numbers that --call accepts', () => {
    const show = shower(60)
    const words = (text: string, conversation: number): TailEvent => ({
      ...said('user', text),
      callId: null,
      conversation,
    })
    expect(show(words('a', 1))).toBe('── -1 (call without id)\nuser       a')
    expect(show(words('b', 2))).toBe('-2          user       b')
    expect(show(words('c', 1))).toBe('-1          user       c')
    show({ kind: 'ended', callId: null, conversation: 1, type: 'status-update' })
    expect(show(words('d', 2))).toBe('── -2 (call without id) continues\nuser       d')
  })

  test('an event without a call is not attributed to the previous call', () => {
    const show = shower(60)
    const event: TailEvent = { kind: 'event', type: 'ping', callId: null, event: 1 }
    show(said('user', 'a', 'CC-1'))
    expect(show(event)).toBe('── - (no call)\n           event ping: 1')
    expect(show(said('user', 'b', 'CC-1'))).toBe('── CC-1 continues\nuser       b')
    show(said('user', 'a', 'CC-2'))
    expect(show(event)).toBe(`-${' '.repeat(22)}event ping: 1`)
  })

  test('gives each call one name, never that of an ended call', () => {
    const show = shower(60)
    const status = (callId: string, word: string): TailEvent => ({ kind: 'status', callId, status: word })
    const [first, second] = ['call_01hx7d3f2c1e0000000000', 'call_01hx7d3f2c9e0000000000'] as const
    expect(show(status(first, 'queued'))).toBe('── call_01hx7d3f · queued')
    show({ kind: 'ended', callId: first, type: 'end-of-call-report' })
    expect(show(status(second, 'queued'))).toBe('── call_01hx7d3f2c9 · queued')
    expect(show(status(first, 'finished'))).toBe('── call_01hx7d3f · finished')
  })

  test('marks an edit and shows the previous text', () => {
    const edit: TailEvent = {
      kind: 'edit',
      callId: 'c1',
      messageId: 'm1',
      role: 'user',
      text: 'hello',
      timestamp: undefined,
      before: 'helo',
    }
    expect(plain(60, edit)).toBe('user       hello\n           (edited, was: helo)')
    expect(plain(60, { ...edit, before: undefined })).toBe('user       hello\n           (edited)')
  })
})

test('a status names its call, and the last one contains the analysis', () => {
  expect(plain(80, { kind: 'status', callId: 'CC-1', status: 'queued', phoneCallStatus: 'ringing' })).toBe(
    '── CC-1 · queued · ringing',
  )
  const analysis = {
    summary: 'Booked a table.',
    successEvaluation: '9',
    structuredData: { guests: 4 },
    mood: null,
    tags: ['a'],
  }
  expect(
    plain(80, { kind: 'status', callId: 'CC-1', status: 'finished', callEndTriggerBy: 'user', analysis }),
  ).toBe(
    [
      '── CC-1 · finished · ended by user',
      '   summary    Booked a table.',
      '   success    9 of 10',
      '   data       {"guests":4}',
      '   tags       ["a"]',
    ].join('\n'),
  )
})

test('abbreviates unknown events', () => {
  const shown = plain(80, {
    kind: 'event',
    type: 'speech-update',
    callId: 'c1',
    event: { long: 'x'.repeat(1000) },
  })
  expect(shown).toContain('event speech-update: {"long":"xxx')
  expect(shown).toContain('--json shows all')
  expect(shown.length).toBeLessThan(600)
  expect(plain(80, { kind: 'malformed', callId: 'c1', path: 'messages[1]', item: 7 })).toContain(
    'messages[1] is not a message: 7',
  )
})

test('no event yields control characters or lines wider than the terminal', () => {
  const hostile = fc.string({ unit: codePoint, maxLength: 60 })
  const events = fc.oneof(
    fc.record({
      kind: fc.constant('message' as const),
      callId: hostile,
      messageId: hostile,
      role: hostile,
      text: hostile,
      timestamp: hostile,
    }),
    fc.record({
      kind: fc.constant('edit' as const),
      callId: hostile,
      messageId: hostile,
      role: hostile,
      text: hostile,
      timestamp: hostile,
      before: hostile,
    }),
    fc.record({
      kind: fc.constant('status' as const),
      callId: hostile,
      status: hostile,
      phoneCallStatus: hostile,
      analysis: fc.dictionary(hostile, hostile),
    }),
    fc.record({ kind: fc.constant('event' as const), type: hostile, callId: hostile, event: fc.jsonValue() }),
  )
  fc.assert(
    fc.property(fc.array(events, { maxLength: 4 }), fc.integer({ min: 24, max: 120 }), (stream, width) => {
      const view = createTranscriptPrinter(width)
      for (const event of stream) {
        const painted = paint(renderTailEvent(event, view) ?? '', { color: false })
        expect(painted).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/,
        )
        for (const line of painted.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }
    }),
  )
})

test('a mark that combines with a preceding space does not widen a line', () => {
  const event = { '': { '': { '': -6.4e-323 } } }
  const view = createTranscriptPrinter(24)
  const painted = paint(renderTailEvent({ kind: 'event', type: '\u0a83', callId: '', event }, view) ?? '', {
    color: false,
  })
  for (const line of painted.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(24)
})

function said(role: string, text: string, callId = 'c1') {
  return { kind: 'message', callId, messageId: 'm1', role, text, timestamp: undefined } as const
}

function shower(width: number): (event: TailEvent) => string {
  const view = createTranscriptPrinter(width)
  return event => paint(renderTailEvent(event, view) ?? '', { color: false })
}

/** Events of c1, which was named before. */
function plain(width: number, ...events: TailEvent[]): string {
  const show = shower(width)
  show({ kind: 'status', callId: 'c1', status: 'ongoing' })
  return events.map(show).join('\n')
}

test.each([
  ['busy', 'finished', '\u001b[33m'],
  ['No_Answer', 'finished', '\u001b[33m'],
  [undefined, 'canceled', '\u001b[33m'],
  ['failed', 'finished', '\u001b[31m'],
  ['completed', 'finished', '\u001b[2m'],
  ['whirr', 'finished', '\u001b[2m'],
])('the end of a call with phone status %s is colored', (phoneCallStatus, status, color) => {
  const end = { kind: 'status', callId: 'CC-1', status, ended: true } as const
  const event = phoneCallStatus === undefined ? end : { ...end, phoneCallStatus }
  const painted = (shown: TailEvent) =>
    paint(renderTailEvent(shown, createTranscriptPrinter(80)) ?? '', { color: colors })
  expect(painted(event)).toContain(`${color}CC-1 · ${status}`)
  const { ended: _, ...goesOn } = event
  expect(painted(goesOn)).toContain('\u001b[2mCC-1')
})
