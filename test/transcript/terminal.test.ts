import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { colors } from '../../src/cli/output/colors.ts'
import { paint } from '../../src/lib/text/text.ts'
import { createTranscriptPrinter, renderTailEvent } from '../../src/transcript/terminal.ts'
import type { TailEvent } from '../../src/webhook/tail.ts'

describe('a message', () => {
  test('stands beside its speaker and wraps under itself', () => {
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

  test('counts wide characters and emoji as a terminal does', () => {
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

  test('goes below its speaker where the terminal is narrow', () => {
    expect(plain(20, said('user', 'one two three four five'))).toBe('user\n  one two three four\n  five')
  })

  test('is coloured by role, and by nothing that it carries', () => {
    const view = createTranscriptPrinter(80)
    const painted = paint(
      renderTailEvent(said('assistant', 'red \u001b[31malert\u001b[0m \u202eevil'), view) ?? '',
      { color: colors },
    )
    expect(painted).toBe('\u001b[36massistant\u001b[39m  red \\x1b[31malert\\x1b[0m \\u202eevil')
  })

  test('carries a tag of its call while more than one is live', () => {
    const view = createTranscriptPrinter(60)
    const show = (event: TailEvent) => paint(renderTailEvent(event, view) ?? '', { color: false })
    expect(show(said('user', 'a', 'CC-111111-aaaaaa'))).toBe('user       a')
    expect(show(said('user', 'b', 'CC-222222-bbbbbb'))).toBe('bbbbbb user       b')
    show({ kind: 'status', callId: 'CC-111111-aaaaaa', status: 'finished', ended: true })
    expect(show(said('user', 'c', 'CC-222222-bbbbbb'))).toBe('user       c')
  })

  test('names a call by the beginning that tells it from others, and tags it by the end of that', () => {
    const view = createTranscriptPrinter(60)
    const show = (event: TailEvent) => paint(renderTailEvent(event, view) ?? '', { color: false })
    const rest = '-0000-4000-8000-000000000001'
    const queued = (callId: string): TailEvent => ({ kind: 'status', callId, status: 'queued' })
    expect(show(queued(`CC-7d3f2c1e${rest}`))).toBe('── CC-7d3f2c1e · queued')
    expect(show(queued(`CC-8d3f2c9e${rest}`))).toBe('── CC-8d3f2c9e · queued')
    expect(show(said('user', 'a', `CC-7d3f2c1e${rest}`))).toBe('3f2c1e user       a')
    expect(show(said('user', 'b', `CC-8d3f2c9e${rest}`))).toBe('3f2c9e user       b')
    // Their first eleven characters are the same.
    expect(show(queued(`CC-7d3f2c1e-5${rest}`))).toBe('── CC-7d3f2c1e-5 · queued')
    expect(show(said('user', 'c', `CC-7d3f2c1e-5${rest}`))).toBe('2c1e-5 user       c')
  })

  test('tags calls without id by the numbers that webhook show takes', () => {
    const view = createTranscriptPrinter(60)
    const show = (event: TailEvent) => paint(renderTailEvent(event, view) ?? '', { color: false })
    const words = (text: string, conversation: number): TailEvent => ({
      kind: 'message',
      callId: null,
      conversation,
      messageId: 'm1',
      role: 'user',
      text,
      timestamp: undefined,
    })
    expect(show(words('a', 1))).toBe('user       a')
    expect(show(words('b', 2))).toBe('── call 2 without id\n-2     user       b')
    expect(show(words('c', 1))).toBe('-1     user       c')
  })

  test('names the first call without id, where another call was shown before', () => {
    const view = createTranscriptPrinter(60)
    const show = (event: TailEvent) => paint(renderTailEvent(event, view) ?? '', { color: false })
    show({ kind: 'status', callId: 'c1', status: 'finished', ended: true })
    const words = (text: string): TailEvent => ({
      kind: 'message',
      callId: null,
      conversation: 1,
      messageId: text,
      role: 'user',
      text,
      timestamp: undefined,
    })
    expect(show(words('a'))).toBe('── call without id\nuser       a')
    expect(show(words('b'))).toBe('user       b')
  })

  test('gives a call no name that an ended one had, and each one name', () => {
    const view = createTranscriptPrinter(60)
    const show = (event: TailEvent) => paint(renderTailEvent(event, view) ?? '', { color: false })
    const status = (callId: string, word: string): TailEvent => ({ kind: 'status', callId, status: word })
    const [first, second] = ['conversation_01hx7d3f2c1e', 'conversation_01hy8d3f2c9e'] as const
    expect(show(status(first, 'queued'))).toBe('── conversatio · queued')
    show({ kind: 'ended', callId: first, type: 'end-of-call-report' })
    expect(show(status(second, 'queued'))).toBe('── conversation_01hy · queued')
    expect(show(status(first, 'finished'))).toBe('── conversatio · finished')
  })

  test('marks an edit and what it was', () => {
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

test('a status names the call, the end its analysis', () => {
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

test('events that it has no reading for are shown short', () => {
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

test('no field of any event brings a control character or a line wider than the terminal', () => {
  const hostile = fc.string({ unit: 'binary', maxLength: 60 })
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

test('a mark that joins the space before it makes no line too wide', () => {
  const event = { '': { '': { '': -6.4e-323 } } }
  const view = createTranscriptPrinter(24)
  const painted = paint(renderTailEvent({ kind: 'event', type: '\u0a83', callId: '', event }, view) ?? '', {
    color: false,
  })
  for (const line of painted.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(24)
})

function said(role: string, text: string, callId = 'c1'): TailEvent {
  return { kind: 'message', callId, messageId: 'm1', role, text, timestamp: undefined }
}

function plain(width: number, ...events: TailEvent[]): string {
  const view = createTranscriptPrinter(width)
  return events.map(event => paint(renderTailEvent(event, view) ?? '', { color: false })).join('\n')
}

test.each([
  ['busy', 'finished', '\u001b[33m'],
  ['No_Answer', 'finished', '\u001b[33m'],
  [undefined, 'canceled', '\u001b[33m'],
  ['failed', 'finished', '\u001b[31m'],
  ['completed', 'finished', '\u001b[2m'],
  ['whirr', 'finished', '\u001b[2m'],
])('the end of a call whose phone is %s is coloured', (phoneCallStatus, status, color) => {
  const end = { kind: 'status', callId: 'CC-1', status, ended: true } as const
  const event = phoneCallStatus === undefined ? end : { ...end, phoneCallStatus }
  const painted = (shown: TailEvent) =>
    paint(renderTailEvent(shown, createTranscriptPrinter(80)) ?? '', { color: colors })
  expect(painted(event)).toContain(`${color}CC-1 · ${status}`)
  const { ended: _, ...goesOn } = event
  expect(painted(goesOn)).toContain('\u001b[2mCC-1')
})
