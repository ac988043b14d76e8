import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { timestampForms } from '../../../src/cli/commands/webhook/flags.ts'
import type { Change } from '../../../src/events/conversation/index.ts'
import {
  createTranscriptPrinter,
  loadTerminal,
  renderTailEvent,
} from '../../../src/events/transcript/index.ts'
import { escapeForTerminal } from '../../../src/lib/text/escape.ts'
import { paint } from '../../../src/lib/text/text.ts'
import { codePoint } from '../../helpers/code-point.ts'
import { runs } from '../../helpers/every-case.ts'
import { edited, said, shower, showerOfCall, status, ten } from './shower.ts'

const { skipEvent } = await loadTerminal()

describe('compact', () => {
  test('truncates a message to one line with an ellipsis', () => {
    const show = showerOfCall(30, { compact: true })
    expect(show(said('assistant', 'Good morning, how can I help you?'))).toBe(
      'assistant  Good morning, how …',
    )
    expect(show(said('user', 'one\ntwo\r\nthree'))).toBe('user       one ↵ two ↵ three')
  })

  test('never splits an emoji', () => {
    const family = '👩‍👩‍👧‍👦'
    const show = showerOfCall(32, { compact: true })
    expect(show(said('user', `Eighteen columns . ${family}`))).toBe(`user       Eighteen columns . ${family}`)
    expect(show(said('user', `Nineteen columns .. ${family}`))).toBe('user       Nineteen columns .. …')
  })

  test('an edit is one line with a leading mark, which is never truncated', () => {
    expect(showerOfCall(40, { compact: true })(edited('user', 'hello '.repeat(20), 'helo'))).toBe(
      'user       (edited) hello hello hello h…',
    )
  })

  test('a status is one line that keeps its end; each analysis field has its own line', () => {
    const show = showerOfCall(30, { compact: true })
    const long = status('CC-7d3f2c1e-1234-5678-9abc-def012345678', 'finished')
    expect(show(long)).toBe('── CC-7d3f2c1e · finished')
    expect(showerOfCall(22, { compact: true })(long)).toBe('── CC-7d3f… · finished')
    const analysis = { summary: 'The caller booked a table for four.', data: 'x', structuredData: { a: 1 } }
    expect(show({ ...status('CC-1', 'finished'), analysis })).toBe(
      [
        '── CC-1 · finished',
        '   summary    The caller book…',
        '   data       {"a":1}',
        '   data       x',
      ].join('\n'),
    )
  })

  test('truncates the speaker first on a narrow terminal', () => {
    expect(showerOfCall(10, { compact: true })(said('assistant', 'Hello there'))).toBe('ass… Hell…')
  })

  test('drops the time, then the speaker, but never the tag on a narrow terminal', () => {
    const tagged = (width: number) => {
      const show = showerOfCall(width, { compact: true, timestamps: 'relative' })
      show(status('CC-2', 'ongoing'))
      return show(said('user', 'Hello there'))
    }
    expect(tagged(60)).toBe('+0:00    CC-1        user       Hello there')
    expect(tagged(40)).toBe('CC-1        user       Hello there')
    expect(tagged(30)).toBe('CC-1        Hello there')
    expect(tagged(10)).toBe('CC-1 Hell…')
  })
})

describe('timestamps', () => {
  test('relative counts from a call’s first event, shown or not', () => {
    const clock = { at: ten }
    const view = createTranscriptPrinter(60, { timestamps: 'relative', now: () => clock.at })
    const show = (event: Change) => paint(renderTailEvent(event, view) ?? '', { color: false })
    skipEvent(status('CC-1', 'queued'), view)
    clock.at = ten + 754_000
    expect(show(said('user', 'Hi'))).toBe('         ── CC-1\n+12:34   user       Hi')
    expect(show(said('user', 'Hi', { timestamp: 'soon' }))).toBe('+12:34   user       Hi')
    clock.at = ten + 3_723_900
    expect(show(said('user', 'Hi', { timestamp: '2026-03-01T11:02:03.900Z' }))).toBe('+1:02:03 user       Hi')
    clock.at = ten + 86_400_000
    expect(show(said('user', 'Hi', { timestamp: '2026-03-02T10:00:00Z' }))).toBe('+24h     user       Hi')
    expect(show(status('CC-1', 'finished'))).toBe('+24h     ── CC-1 · finished')
    expect(show(status('CC-2', 'queued'))).toBe('+0:00    ── CC-2 · queued')
  })

  test('relative never counts backwards: the earlier of two clocks is the start', () => {
    const show = shower(60, { timestamps: 'relative' })
    expect(show(status('CC-1', 'queued'))).toBe('+0:00    ── CC-1 · queued')
    expect(show(said('user', 'Hi', { timestamp: '2026-03-01T09:59:55Z' }))).toBe('+0:00    user       Hi')
    expect(show(said('user', 'Hi', { timestamp: '2026-03-01T09:59:58Z' }))).toBe('+0:03    user       Hi')
    expect(show(status('CC-1', 'finished'))).toBe('+0:05    ── CC-1 · finished')
  })

  test.each(['2026-01-01', '2031-01-01'])('are those of the call on a service whose date is %s', day => {
    const at = (seconds: number) => new Date(Date.parse(day) + seconds * 1000).toISOString()
    const toolCall = { name: 'book', startedAt: at(9) }
    const look = (timestamps: 'relative' | 'iso') => {
      const clock = { at: ten }
      const show = shower(80, { timestamps, compact: true, now: () => clock.at })
      const events = [
        status('CC-1', 'queued'),
        status('CC-1', 'ongoing', { startAt: at(2) }),
        said('user', 'Hi', { timestamp: at(7) }),
        { kind: 'event', callId: 'CC-1', type: 'tool-started', event: { message: { toolCall } } },
        said('user', 'Hello?'),
        status('CC-1', 'forwarding', { startAt: at(2) }),
        status('CC-1', 'finished', { startAt: at(2), endAt: at(30) }),
      ] as const
      return events.map(event => {
        clock.at += 100
        return show(event).split(' ')[0]
      })
    }
    expect(look('relative')).toEqual(['+0:00', '+0:00', '+0:05', '+0:07', '+0:07', '+0:07', '+0:28'])
    const times = [2, 7, 9, 9.1, 9.2, 30].map(at)
    expect(look('iso').slice(1)).toEqual(times)
  })

  test('relative counts to messages that arrive late, and from those before the tail', () => {
    const clock = { at: ten }
    const show = shower(60, { timestamps: 'relative', now: () => clock.at })
    const word = (event: Change) => show(event).split(' ')[0]
    expect(word(status('CC-1', 'queued'))).toBe('+0:00')
    clock.at += 600_000
    expect(word(said('user', 'Hi', { timestamp: '2026-03-01T10:00:05Z' }))).toBe('+0:05')
    expect(word(status('CC-2', 'forwarding'))).toBe('+0:00')
    const stamps = ['2026-03-01T10:00:00Z', '2026-03-01T10:09:58Z']
    expect(stamps.map(timestamp => word(said('user', 'Hi', { callId: 'CC-2', timestamp })))).toEqual([
      '+0:00',
      '+9:58',
    ])
    expect(word(status('CC-2', 'finished'))).toBe('+10:00')
  })

  test('local uses this machine’s clock, iso is UTC with milliseconds', () => {
    const at = new Date(ten + 61_001)
    const local = [at.getHours(), at.getMinutes(), at.getSeconds()]
      .map(part => String(part).padStart(2, '0'))
      .join(':')
    const event = said('user', 'Hi', { timestamp: at.toISOString() })
    expect(showerOfCall(60, { timestamps: 'local' })(event)).toBe(`${local} user       Hi`)
    expect(showerOfCall(60, { timestamps: 'iso' })(event)).toBe('2026-03-01T10:01:01.001Z user       Hi')
    expect(showerOfCall(60, { timestamps: 'iso' })(said('user', 'Hi'))).toBe(
      '2026-03-01T10:00:00.000Z user       Hi',
    )
  })

  test('an event has one time, and further lines are indented under its text', () => {
    const show = showerOfCall(45, { timestamps: 'relative' })
    expect(show(edited('user', 'one two three four five six', 'one'))).toBe(
      [
        '+0:00    user       one two three four five',
        '                    six',
        '                    (edited, was: one)',
      ].join('\n'),
    )
  })

  test('are above the text on a narrow terminal', () => {
    expect(showerOfCall(20, { timestamps: 'relative' })(said('user', 'one two three four'))).toBe(
      '+0:00 user\n  one two three four',
    )
    expect(showerOfCall(10, { timestamps: 'iso' })(said('user', 'one two'))).toBe(
      '2026-03-0…\nuser\n  one two',
    )
  })
})

test('reads the width for each event, because terminals are resized', () => {
  const terminal = { width: 80 }
  const show = shower(terminal)
  show(status('CC-1', 'ongoing'))
  const words = 'one two three four five six seven'
  expect(show(said('user', words))).toBe(`user       ${words}`)
  terminal.width = 31
  expect(show(said('user', words))).toBe('user       one two three four\n           five six seven')
})

test('hidden calls add no tags, and a hidden end removes the tag', () => {
  const view = createTranscriptPrinter(60)
  const show = (event: Change) => paint(renderTailEvent(event, view) ?? '', { color: false })
  skipEvent(said('user', 'x', { callId: 'CC-3' }), view)
  expect(show(said('user', 'a', { callId: 'CC-1' }))).toBe('── CC-1\nuser       a')
  expect(show(said('user', 'b', { callId: 'CC-000002' }))).toBe('CC-000002   user       b')
  skipEvent(status('CC-000002', 'finished'), view)
  expect(show(said('user', 'c', { callId: 'CC-1' }))).toBe('── CC-1 continues\nuser       c')
  expect(show(said('user', 'd', { callId: 'CC-1' }))).toBe('user       d')
})

const piece = fc.oneof(
  fc.constantFrom(
    ' ',
    '  ',
    '\n',
    '\t',
    '\r\n',
    'word',
    'supercalifragilisticexpialidocious',
    '日本語',
    '가나다',
  ),
  fc.constantFrom(
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    '👍🏽',
    '❤️',
    '1️⃣',
    'e\u0301',
    '\u0301',
    '\u0903',
    'क्षि',
    '\u200d',
    'ﾞ',
    '\u0600',
  ),
  fc.constantFrom(
    `a${'\u0301'.repeat(40)}`,
    `क${'\u0903'.repeat(300)}`,
    'ᄀ'.repeat(30),
    'e\u00adf',
    '\u00a0',
    '\u3000',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: codePoint, maxLength: 8 }),
)
const words = fc.array(piece, { maxLength: 20 }).map(pieces => pieces.join(''))
const callId = fc.constantFrom('CC-1', 'CC-2', '日本語日本語')
const timestamp = fc.oneof(
  fc.constantFrom(
    '2026-03-01T10:00:00.000Z',
    '0000-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59-23:59',
    '+275760-09-13T00:00:00Z',
    '2026-99-99T99:99:99Z',
    '1',
  ),
  words,
)
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('message'), callId, messageId: words, role: words, text: words, timestamp }),
  fc.record({
    kind: fc.constant('edit'),
    callId,
    messageId: words,
    role: words,
    text: words,
    timestamp,
    before: fc.option(words, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('status'),
    callId: fc.oneof(callId, words),
    status: words,
    phoneCallStatus: words,
    analysis: fc.dictionary(words, words, { maxKeys: 3 }),
  }),
  fc.record({ kind: fc.constant('event'), type: words, callId, event: fc.jsonValue() }),
  fc.record({ kind: fc.constant('malformed'), callId, path: words, item: fc.jsonValue() }),
)
const look = fc.record({ compact: fc.boolean(), timestamps: fc.constantFrom(...timestampForms) })

test('no line is wider than the terminal or has a character that acts on it, for any text and format', () => {
  const width = fc.oneof(fc.integer({ min: 2, max: 7 }), fc.integer({ min: 8, max: 200 }))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 4 }), width, look, (stream, columns, chosen) => {
      const show = showerOfCall(columns, chosen)
      for (const event of stream) {
        const shown = show(event)
        expect(shown).not.toMatch(acting)
        for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      }
    }),
    { numRuns: runs(100) },
  )
})

/** Controls other than a newline, and marks of direction. */
const acting = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

test('continuation lines align with the text, and no text is lost', () => {
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 8, max: 200 }),
      fc.boolean(),
      fc.constantFrom(...timestampForms),
      (text, width, tagged, timestamps) => {
        const show = showerOfCall(width, { timestamps })
        if (tagged) show(status('CC-0', 'ongoing'))
        const lines = show(said('user', text)).split('\n')
        const margin = { relative: 9, local: 9, iso: 25, none: 0 }[timestamps] + (tagged ? 12 : 0) + 11
        const isBeside = width - margin >= 20
        const indent = isBeside ? margin : 2
        const first = isBeside
          ? 0
          : lines.findIndex(line => line.startsWith('user') || line.endsWith(' user')) + 1
        for (const line of lines.slice(isBeside ? 1 : first))
          expect(line).toMatch(new RegExp(`^ {${indent}}`))
        const shown = lines.slice(first).map(line => line.slice(indent))
        const escaped = escapeForTerminal(text.replaceAll('\r\n', '\n'), { allowedCharacters: '\n' })
        expect(shown.join('').replaceAll(' ', '')).toBe(escaped.replaceAll(/[ \n]/g, ''))
      },
    ),
    { numRuns: runs(100) },
  )
})

test('compact is one line per message, for any text', () => {
  fc.assert(
    fc.property(change, fc.integer({ min: 8, max: 200 }), (event, width) => {
      if (event.kind === 'status') return
      expect(showerOfCall(width, { compact: true })(event)).not.toContain('\n')
    }),
  )
})
