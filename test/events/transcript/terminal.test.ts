import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { colors } from '../../../src/cli/shell/output/colors.ts'
import type { TailEvent } from '../../../src/events/receive/index.ts'
import { createTranscriptPrinter, renderTailEvent } from '../../../src/events/transcript/index.ts'
import { paint } from '../../../src/lib/text/text.ts'
import { edited, said, shower, showerOfCall, status } from './shower.ts'

const plain = (width: number, ...events: TailEvent[]) => events.map(showerOfCall(width)).join('\n')
const ofCall = (callId: string) => ({ callId })

describe('a message', () => {
  test('is next to its speaker with a hanging indent', () => {
    const greeting = said('assistant', 'Good morning, how can I help you on this fine day?')
    expect(plain(40, greeting, said('user', 'Hello'))).toBe(
      [
        'assistant  Good morning, how can I help',
        '           you on this fine day?',
        'user       Hello',
      ].join('\n'),
    )
  })

  test('moves below its speaker on a narrow terminal', () => {
    expect(plain(20, said('user', 'one two three four five'))).toBe('user\n  one two three four\n  five')
  })

  test('is colored by role, never by its content', () => {
    const view = createTranscriptPrinter(80)
    renderTailEvent(status('CC-1', 'ongoing'), view)
    const painted = paint(
      renderTailEvent(said('assistant', 'red \u001b[31malert\u001b[0m \u202eevil'), view) ?? '',
      { color: colors },
    )
    expect(painted).toBe('\u001b[36massistant\u001b[39m  red \\x1b[31malert\\x1b[0m \\u202eevil')
  })

  test('has the tag of its call while several are live, and until a line names the remaining one', () => {
    const show = shower(60)
    const [first, second] = [ofCall('CC-111111-aaa'), ofCall('CC-2')]
    expect(show(said('user', 'a', first))).toBe('── CC-111111-aaa\nuser       a')
    expect(show(said('user', 'b', second))).toBe('CC-2          user       b')
    expect(show(said('user', 'c', first))).toBe('CC-111111-aaa user       c')
    show(status(first.callId, 'finished'))
    expect(show(said('user', 'd', second))).toBe('── CC-2 continues\nuser       d')
    expect(show(said('user', 'e', second))).toBe('user       e')
    // A repeat that arrives late.
    expect(show(said('user', 'f', first))).toBe('── CC-111111-aaa\nuser       f')
    expect(show(said('user', 'g', second))).toBe('── CC-2 continues\nuser       g')
  })

  test('is not announced right after a status of its call', () => {
    const show = shower(60)
    show(status('CC-1', 'ongoing'))
    show(status('CC-2', 'ongoing'))
    show(status('CC-1', 'finished'))
    expect(show(status('CC-2', 'ongoing'))).toBe('── CC-2 · ongoing')
    expect(show(said('user', 'a', ofCall('CC-2')))).toBe('user       a')
  })

  test('has a tag column that grows and never shrinks', () => {
    const show = shower(80)
    const ids = ['c1', 'c2', 'order-4711-second-try']
    for (const callId of ids) show(status(callId, 'queued'))
    const columns = [...ids, 'c1'].map(callId => show(said('user', 'a', { callId })).indexOf('user'))
    expect(columns).toEqual([22, 22, 22, 22])
  })

  test('has a tag in a color that no other live call has', () => {
    const view = createTranscriptPrinter(80)
    const colorOf = (callId: string) => {
      const painted = paint(renderTailEvent(said('user', 'a', { callId }), view) ?? '', { color: colors })
      return /(\u001b\[\d+m)CC-\d/.exec(painted)?.[1]
    }
    const ids = ['CC-1', 'CC-2', 'CC-3', 'CC-4', 'CC-5']
    for (const callId of ids) renderTailEvent(status(callId, 'queued'), view)
    const first = ids.map(colorOf)
    expect(new Set(first).size).toBe(5)
    expect(ids.map(colorOf)).toEqual(first)
    renderTailEvent({ kind: 'ended', callId: 'CC-2', type: 'status-update' }, view)
    expect(colorOf('CC-6')).toBe(first[1])
  })

  test('of a call without id has the number that --call accepts', () => {
    const show = shower(60)
    const words = (text: string, conversation: number): TailEvent => ({
      ...said('user', text),
      ...{ callId: null, conversation },
    })
    expect(show(words('a', 1))).toBe('── -1 (call without id)\nuser       a')
    expect(show(words('b', 2))).toBe('-2          user       b')
    expect(show(words('c', 1))).toBe('-1          user       c')
    show({ kind: 'ended', callId: null, conversation: 1, type: 'status-update' })
    expect(show(words('d', 2))).toBe('── -2 (call without id) continues\nuser       d')
  })

  test('that was edited is marked, and shows the previous text', () => {
    expect(plain(60, edited('user', 'hello', 'helo'))).toBe(
      'user       hello\n           (edited, was: helo)',
    )
    expect(plain(60, edited('user', 'hello'))).toBe('user       hello\n           (edited)')
  })
})

test('an event without a call is not attributed to the previous call', () => {
  const show = shower(60)
  const event: TailEvent = { kind: 'event', type: 'ping', callId: null, event: 1 }
  show(said('user', 'a'))
  expect(show(event)).toBe('── - (no call)\n           event ping: 1')
  expect(show(said('user', 'b'))).toBe('── CC-1 continues\nuser       b')
  show(said('user', 'a', ofCall('CC-2')))
  expect(show(event)).toBe(`-${' '.repeat(22)}event ping: 1`)
})

test('a status names its call, and the last one contains the analysis', () => {
  expect(plain(80, status('CC-1', 'queued', { phoneCallStatus: 'ringing' }))).toBe(
    '── CC-1 · queued · ringing',
  )
  const analysis = {
    ...{ summary: 'Booked a table.', successEvaluation: '9', structuredData: { guests: 4 } },
    ...{ mood: null, tags: ['a'] },
  }
  expect(plain(80, status('CC-1', 'finished', { callEndTriggerBy: 'user', analysis }))).toBe(
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
  const event = { long: 'x'.repeat(1000) }
  const shown = plain(80, { kind: 'event', type: 'speech-update', callId: 'CC-1', event })
  expect(shown).toContain('event speech-update: {"long":"xxx')
  expect(shown).toContain('--json shows all')
  expect(shown.length).toBeLessThan(600)
  expect(plain(80, { kind: 'malformed', callId: 'CC-1', path: 'messages[1]', item: 7 })).toContain(
    'messages[1] is not a message: 7',
  )
})

test('a mark that combines with a preceding space does not widen a line', () => {
  const event = { '': { '': { '': -6.4e-323 } } }
  for (const line of shower(24)({ kind: 'event', type: '\u0a83', callId: '', event }).split('\n'))
    expect(stringWidth(line)).toBeLessThanOrEqual(24)
})

test.each([
  ['busy', 'finished', '\u001b[33m'],
  ['No_Answer', 'finished', '\u001b[33m'],
  [undefined, 'canceled', '\u001b[31m'],
  ['failed', 'finished', '\u001b[31m'],
  ['completed', 'finished', '\u001b[2m'],
  ['whirr', 'finished', '\u001b[2m'],
])('the end of a call with phone status %s is colored', (phoneCallStatus, word, color) => {
  const phone = phoneCallStatus === undefined ? {} : { phoneCallStatus }
  const event = status('CC-1', word, { ended: true, ...phone })
  const painted = (shown: TailEvent) =>
    paint(renderTailEvent(shown, createTranscriptPrinter(80)) ?? '', { color: colors })
  expect(painted(event)).toContain(`${color}CC-1 · ${word}`)
  const { ended: _, ...goesOn } = event
  expect(painted(goesOn)).toContain('\u001b[2mCC-1')
})
