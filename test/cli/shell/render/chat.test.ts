import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { callerPrompt, renderChatEvent, renderDraft } from '../../../../src/cli/shell/render/chat.ts'
import type { ChatEvent } from '../../../../src/cli/shell/render/chat-events.ts'
import { paint } from '../../../../src/lib/text/text.ts'
import { codePoint } from '../../../helpers/code-point.ts'

const callId = 'CC-1'
const said = { messageId: 'm1', timestamp: '2026-01-01T00:00:00.000Z' }

test('shows text next to its speaker, with the caller’s prompt in the same column', () => {
  expect(plain({ kind: 'message', callId, ...said, role: 'user', text: 'Hello' })).toBe('user       Hello')
  expect(paint(callerPrompt, { color: false })).toBe('user       ')
  expect(
    plain({ kind: 'message', callId, ...said, role: 'assistant', text: 'We are', interrupted: true }),
  ).toBe('assistant  We are\n           (cut short)')
})

test('draws partial text as it will look when spoken', () => {
  const words = 'We are open Monday to Friday from nine to six, and on Saturday until one.'
  expect(paint(renderDraft(words, 40), { color: false })).toBe(
    plain({ kind: 'message', callId, ...said, role: 'assistant', text: words }, 40),
  )
  expect(paint(renderDraft(' \n', 40), { color: false })).toBe('')
})

test('tools show what they were asked and what came of it', () => {
  const run = { id: 'call_1', name: 'book_appointment', arguments: { day: '2026-01-05' } }
  expect(plain({ kind: 'tool-started', callId, run })).toBe(
    '           → book_appointment {"day":"2026-01-05"}',
  )
  expect(plain({ kind: 'tool-ended', callId, result: { ...run, content: '{"booked":true}' } })).toBe(
    '           ← book_appointment {"booked":true}',
  )
  expect(
    plain({ kind: 'tool-ended', callId, result: { ...run, content: '{}', failure: 'it answered 500' } }),
  ).toBe('           ← book_appointment failed: it answered 500')
  expect(plain({ kind: 'tool-ended', callId, result: { ...run, content: '{}', simulated: true } })).toContain(
    '(simulated)',
  )
  expect(plain({ kind: 'tool-ended', callId, result: { ...run, content: 'x'.repeat(1000) } })).toContain(
    '--json',
  )
})

test('the end shows who ended it, where it was forwarded, and the analysis', () => {
  const record = { status: 'completed', callEndTriggerBy: 'user', analysis: { summary: 'Booked.' } }
  expect(plain({ kind: 'status', callId, status: 'finished', record })).toBe(
    '── CC-1 · finished · ended by user\n   summary    Booked.',
  )
  const forwarded = { status: 'forwarded', forwardedTo: { phoneNumber: '+12025550177', name: 'Workshop' } }
  expect(plain({ kind: 'status', callId, status: 'finished', record: forwarded })).toBe(
    '── CC-1 · forwarded\n           forwarded to +12025550177 Workshop',
  )
})

test('prints no control character or line wider than the terminal for any event', () => {
  const hostile = fc.string({ unit: codePoint, maxLength: 60 })
  const use = { id: hostile, name: hostile, arguments: fc.jsonValue() }
  const events = fc.oneof(
    fc.record({
      kind: fc.constant('message' as const),
      callId: hostile,
      messageId: hostile,
      role: fc.constantFrom('user' as const, 'assistant' as const),
      text: hostile,
      timestamp: hostile,
      interrupted: fc.constantFrom(true as const, undefined),
    }),
    fc.record({ kind: fc.constant('tool-started' as const), callId: hostile, run: fc.record(use) }),
    fc.record({
      kind: fc.constant('tool-ended' as const),
      callId: hostile,
      result: fc.record({ ...use, content: hostile, failure: fc.option(hostile, { nil: undefined }) }),
    }),
    fc.record({
      kind: fc.constant('failure' as const),
      callId: hostile,
      part: fc.constantFrom('model' as const, 'tool' as const, 'analysis' as const),
      message: hostile,
    }),
    fc.record({
      kind: fc.constant('status' as const),
      callId: hostile,
      status: hostile,
      record: fc.record({
        status: fc.constantFrom('completed', 'forwarded'),
        callEndTriggerBy: hostile,
        forwardedTo: fc.dictionary(hostile, hostile),
        analysis: fc.dictionary(hostile, hostile),
      }),
    }),
  )
  const columns = fc.integer({ min: 24, max: 120 })
  fc.assert(fc.property(events, columns, (event, width) => expectHarmless(plain(event, width), width)))
  fc.assert(
    fc.property(hostile, columns, (words, width) =>
      expectHarmless(paint(renderDraft(words, width), { color: false }), width),
    ),
  )
})

function expectHarmless(painted: string, width: number): void {
  expect(painted).not.toMatch(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/,
  )
  for (const line of painted.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
}

function plain(event: ChatEvent, width = 80): string {
  return paint(renderChatEvent(event, width), { color: false })
}
