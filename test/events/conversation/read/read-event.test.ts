import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countConversationEvents,
  createConversationTracker,
  type ReadEvent,
} from '../../../../src/events/conversation/index.ts'
import { readTime, withExactNumbers } from '../../../../src/events/conversation/read/event-values.ts'
import { parseEvent, readMessage } from '../../../../src/events/conversation/read/read-event.ts'
import { runs } from '../../../helpers/every-case.ts'

function read(body: unknown): ReadEvent {
  const event = parseEvent(typeof body === 'string' ? body : JSON.stringify(body))
  if (typeof event === 'string') throw new Error(event)
  return event
}

test.each([
  ['not JSON', '{"message":', 'the body is not JSON'],
  ['empty', '', 'the body is not JSON'],
  ['a list', '[{}]', 'the body is not a JSON object'],
  ['a text', '"{}"', 'the body is not a JSON object'],
  ['a number', '7', 'the body is not a JSON object'],
  ['null', 'null', 'the body is not a JSON object'],
])('%s is not an event', (_, text, reason) => {
  expect(parseEvent(text)).toBe(reason)
})

const json = fc.jsonValue({ maxDepth: 3 })
const field = (...likely: fc.Arbitrary<unknown>[]) => fc.option(fc.oneof(...likely, json), { nil: undefined })
const word = fc.constantFrom('ongoing', 'finished', 'BUSY', '', '1772359200', 7, 1e21)
const message = fc.record(
  {
    type: field(fc.constantFrom('status-update', 'conversation-update', 'end-of-call-report')),
    call: field(fc.record({ id: field(word), status: field(word), endAt: field(word), analysis: json })),
    assistant: field(fc.record({ name: field(word) })),
    customer: field(fc.record({ number: field(word), name: field(word) })),
    analysis: field(fc.record({ summary: json })),
    messages: field(
      fc.array(fc.oneof(json, fc.record({ messageId: field(word), role: field(word), text: field(word) }))),
    ),
  },
  { requiredKeys: [] },
)

test('reads any JSON object and emits what it contains', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          message.map(fields => ({ message: fields })),
          fc.dictionary(fc.string(), json),
        ),
      ),
      bodies => {
        const tally = createConversationTracker()
        for (const body of bodies) {
          const taken = tally.apply(read(body))
          const { messages, odd } = taken.event
          // Only what is known already, or says nothing, brings nothing.
          if (
            messages === undefined &&
            taken.event.status === undefined &&
            odd.length > 0 &&
            !taken.event.ended
          )
            expect(taken.changes.length + taken.event.odd.length).toBeGreaterThan(0)
          for (const news of countConversationEvents(taken))
            expect(JSON.parse(JSON.stringify(news))).toHaveProperty('kind')
        }
        expect(tally.counts().events).toBe(bodies.length)
      },
    ),
    { numRuns: runs(300) },
  )
})

describe('digits', () => {
  test('of an id are kept exactly, not as JSON.parse reads them', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.string(), (id, text) => {
        const { callId, messages } = read(
          `{"message":{"type":"t","call":{"id":${id}},"messages":[{"messageId":${id},"text":${JSON.stringify(text)}}]}}`,
        )
        expect(callId).toBe(String(id))
        expect(readMessage(messages?.[0])?.messageId).toBe(String(id))
        expect(messages?.[0]).toHaveProperty('text', text)
      }),
    )
  })

  test('change nothing else of the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const text = JSON.stringify(value)
        const exact: unknown = JSON.parse(withExactNumbers(text))
        const asText = (_: string, inner: unknown) =>
          typeof inner === 'number' && !Number.isSafeInteger(inner) ? String(inner) : inner
        expect(JSON.stringify(exact, asText)).toBe(JSON.stringify(value, asText))
      }),
    )
  })
})

test.each([
  [1772359200, '2026-03-01T10:00:00.000Z'],
  [1772359200000, '2026-03-01T10:00:00.000Z'],
  [1772359200.5, '2026-03-01T10:00:00.500Z'],
  ['1772359200', '2026-03-01T10:00:00.000Z'],
  ['1772359200000', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T12:00:00+02:00', '2026-03-01T12:00:00+02:00'],
  ['soon', 'soon'],
  [0, '0'],
  [-1, '-1'],
  [12.5, '12.5'],
  [1e18, '1000000000000000000'],
  ['20260301100000', '20260301100000'],
  ['202603011000', '202603011000'],
  ['12025550123', '12025550123'],
  ['', undefined],
  [null, undefined],
  [{}, undefined],
])('the time %j is %j', (value, shown) => {
  expect(readTime(value)).toBe(shown)
})
