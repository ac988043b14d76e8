import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createConversationTracker, type ReadEvent } from '../../../../src/events/conversation/index.ts'
import { createBodyReader } from '../../../../src/events/conversation/read/body-reader.ts'
import { parseEvent } from '../../../../src/events/conversation/read/read-event.ts'
import { conversationUpdate, message } from '../../../helpers/events.ts'
import { runs } from '../../../helpers/every-case.ts'

describe('a reader of bodies', () => {
  test('reads what parsing each body reads, for any bodies in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), step, damage), { minLength: 2, maxLength: 14 }), steps => {
        const reader = createBodyReader({ minBodyBytes: 0 })
        const [counter, reference] = [createConversationTracker(), createConversationTracker()]
        const calls = [0, 1, 2].map((): Call => ({ layout: 0, items: [] }))
        for (const [number, change, harm] of steps) {
          const call = change(calls[number] ?? { layout: 0, items: [] })
          calls[number] = call
          const body = harm(Buffer.from(textOf(number, call)))
          const event = reader.read(body)
          const expected = parsed(body)
          expect(withoutGrowth(event)).toStrictEqual(expected)
          expect(JSON.stringify(event)).toContain(JSON.stringify(expected).slice(0, -1))
          if (typeof event !== 'string' && typeof expected !== 'string')
            expect(withoutGrowth(counter.apply(event))).toStrictEqual(reference.apply(expected))
        }
        expect(counter.counts()).toEqual(reference.counts())
      }),
      { numRuns: runs(300) },
    )
  })

  test.each(layouts.slice(0, 8).map((layout, number) => [layout(0, '…'), number]))(
    'parses no message twice that the body before had: %s',
    (_, layout) => {
      const reader = createBodyReader({ minBodyBytes: 0 })
      const said = Array.from({ length: 40 }, (_, index) => message(`m${index}`, `line ${index}: a } ] "ö"`))
      const read = said.map((_, index) =>
        messagesOf(
          reader.read(Buffer.from(textOf(0, { layout: Number(layout), items: said.slice(0, index + 1) }))),
        ),
      )
      for (const [index, messages] of read.entries()) {
        expect(messages).toEqual(said.slice(0, index + 1))
        // The first bodies are parsed completely, because nothing is known about the call yet.
        for (let place = 0; place < index && index > 3; place++)
          expect(messages[place]).toBe(read[index - 1]?.[place])
      }
    },
  )

  test('parses no earlier message again while the last one grows', () => {
    const reader = createBodyReader({ minBodyBytes: 0 })
    const said = Array.from({ length: 20 }, (_, index) => ({
      ...message(`m${index}`, 'hi'),
      tool: { a: { b: 1 }, c: 2 },
    }))
    const words = Array.from({ length: 10 }, (_, index) => message('last', 'word '.repeat(index + 1)))
    const read = words.map(last => messagesOf(reader.read(bodyOf(...said, last))))
    for (const messages of read.slice(3)) expect(messages[10]).toBe(read[2]?.[10])
    expect(read.map(messages => messages.at(-1))).toEqual(words)
  })

  test('rejects a list that starts with a comma after an empty one', () => {
    const reader = createBodyReader({ minBodyBytes: 0 })
    const body = (items: string) =>
      Buffer.from(`{"message":{"type":"conversation-update","messages":[ ${items}]}}`)
    for (let time = 0; time < 2; time++) expect(messagesOf(reader.read(body('')))).toEqual([])
    expect(reader.read(body(',{"text":"a"}'))).toBe('the body is not JSON')
  })

  test('returns the same event for the same bytes', () => {
    const reader = createBodyReader({ minBodyBytes: 0 })
    reader.read(bodyOf(message('m1', 'hello')))
    const second = reader.read(bodyOf(message('m1', 'hello')))
    expect(reader.read(bodyOf(message('m1', 'hello')))).toBe(second)
  })

  test.each([
    ['more bytes than it may hold', { maxBytes: 60_000 }, 40],
    ['a body that is larger than those it keeps', { maxBodyBytes: 500 }, 0],
    ['a body from which nothing is to be gained', { minBodyBytes: 20_000 }, 0],
  ] satisfies [string, Parameters<typeof createBodyReader>[0], number][])(
    'does not keep %s',
    (_, bounds, others) => {
      const reader = createBodyReader({ minBodyBytes: 0, ...bounds })
      const said = Array.from({ length: 30 }, (_, index) => message(`m${index}`, 'hello'))
      const readTwice = (call: string) => {
        for (let time = 0; time < 2; time++)
          reader.read(Buffer.from(JSON.stringify(conversationUpdate(call, ...said))))
      }
      readTwice('c1')
      const event = reader.read(bodyOf(...said))
      for (let call = 0; call < others; call++) readTwice(`other-${call}`)
      const again = reader.read(bodyOf(...said))
      expect(again).not.toBe(event)
      expect(again).toEqual(event)
    },
  )
})

interface Call {
  readonly layout: number
  readonly items: readonly unknown[]
}

/** The text of a body with these items, as different senders write it. */
const layouts: readonly ((call: number, items: string) => string)[] = [
  (call, items) =>
    `{"message":{"type":"conversation-update","call":{"id":"CC-${call}"},"messages":[${items}]}}`,
  (call, items) =>
    `{"message":{"messages":[${items}],"type":"conversation-update","call":{"id":"CC-${call}"}}}`,
  (call, items) => `{"type":"conversation-update","messages":[${items}],"call":{"id":"CC-${call}"}}`,
  (call, items) =>
    ` {\n"message" : {"type" : "conversation-update", "call":{"id":"CC-${call}"},\r\n"messages"\t: [\n  ${items}\n  ] } }\n`,
  (call, items) =>
    `{"message":{"note":"\\"messages\\":[{}","type":"conversation-update","messages":[${items}],"call":{"id":"CC-${call}","more":[[1],{"messages":[]}]}}}`,
  (call, items) =>
    `{"__proto__":{"type":"x"},"message":{"__proto__":{"call":1},"type":"conversation-update","call":{"id":"CC-${call}"},"messages":[${items}]}}`,
  (call, items) =>
    `{"message":{"type":"conversation-update","call":{"id":"CC-${call}"},"messages":[${items}],"analysis":{"summary":"so"}}}`,
  (call, items) =>
    `{"message":{"messages":7,"type":"conversation-update","call":{"id":"CC-${call}","id":"CC-${call}"},"messages":[${items}]}}`,
  // Below, the list that comes first is not the one that counts.
  (call, items) =>
    `{"message":{"messages":[${items}],"type":"conversation-update","call":{"id":"CC-${call}"},"messages":[{"messageId":"x","text":"other"}]}}`,
  (call, items) =>
    `{"message":{"messages":[{"messageId":"x","text":"other"}],"call":{"id":"CC-${call}"},"messages":[${items}],"type":"conversation-update"}}`,
  (call, items) =>
    `{"message":{"type":"a","messages":[${items}]},"message":{"type":"conversation-update","call":{"id":"CC-${call}"},"messages":[${items}]}}`,
  (call, items) =>
    `{"message":{"type":"conversation-update","call":{"id":"CC-${call}","messages":[${items}]},"messages":[${items}]}}`,
  (call, items) =>
    `{"message":{"type":"conversation-update","call":{"id":"CC-${call}"},"mess\\u0061ges":[${items}]}}`,
  (call, items) =>
    `{"message":{"type":"conversation-update","call":{"id":"CC-${call}"},"messages":[[${items}]]}}`,
  (call, items) =>
    `{"message":{"type":"conversation-update","call":{"id":"CC-${call}"},"messages":{"messages":[${items}]}}}`,
  (call, items) => `{"message":[${items}],"messages":[${items}],"type":"t","call":{"id":"CC-${call}"}}`,
  (_, items) => `[{"messages":[${items}]}]`,
]

function textOf(number: number, { layout, items }: Call): string {
  const written = items.map(item => (typeof item === 'bigint' ? String(item) : JSON.stringify(item)))
  return (layouts[layout] ?? String)(number, written.join(layout === 3 ? ' ,\n  ' : ','))
}

/** Words that look like the syntax around them. */
const text = fc.oneof(
  fc.constantFrom('hi', '},{', '"messages":[', ']}', '\\', '\\"', 'ö', '😀', '\u0000', ''),
  fc.string({ unit: 'grapheme' }),
)
const item: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ messageId: fc.constantFrom('m1', 'm2', 'm3', 'm4', 'm5'), role: text, text }),
  },
  fc.record({ text, timestamp: fc.nat() }),
  fc.record({ tool: fc.record({ a: fc.record({ b: text }), c: fc.array(text) }), messageId: text, text }),
  fc.record({ messageId: fc.constantFrom(7, 123456789012345680000), text }),
  fc.constantFrom<unknown>(
    12,
    123456789012345678901n,
    null,
    true,
    'text',
    ['a', ['b']],
    {},
    { messages: [1] },
  ),
)

type Step = (call: Call) => Call

/** Changes of a call between two of its bodies. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: item.map(
      (added): Step =>
        call => ({ ...call, items: [...call.items, added] }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.array(item).map(
      (added): Step =>
        call => ({ ...call, items: [...call.items, ...added] }),
    ),
  },
  fc.tuple(fc.nat(10), item).map(
    ([place, other]): Step =>
      call => ({
        ...call,
        items: call.items.map((each, index) => (index === place ? other : each)),
      }),
  ),
  text.map(
    (more): Step =>
      ({ layout, items }) => {
        const last = items.at(-1)
        const isMessage = typeof last === 'object' && last !== null && 'text' in last
        return {
          layout,
          items: isMessage ? [...items.slice(0, -1), { ...last, text: `${last.text}${more}` }] : items,
        }
      },
  ),
  fc.nat(10).map(
    (length): Step =>
      call => ({ ...call, items: call.items.slice(0, length) }),
  ),
  fc.constant<Step>(call => call),
  {
    weight: 2,
    arbitrary: fc.nat(layouts.length - 1).map(
      (layout): Step =>
        call => ({ ...call, layout }),
    ),
  },
)

type Damage = (body: Buffer) => Buffer

/** Mostly none. */
const damage: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Damage>(body => body) },
  fc.nat(500).map(
    (length): Damage =>
      body =>
        body.subarray(0, body.length - (length % body.length)),
  ),
  fc.tuple(fc.nat(500), fc.constantFrom(0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x5c, 0x30, 0xff)).map(
    ([place, byte]): Damage =>
      body => {
        const harmed = Buffer.from(body)
        harmed[body.length - 1 - (place % body.length)] = byte
        return harmed
      },
  ),
)

function parsed(body: Buffer): ReadEvent | string {
  try {
    return parseEvent(new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return 'the body is not UTF-8'
  }
}

/** An event, or what was taken of one, as if each had been parsed. */
function withoutGrowth<Value>(value: Value): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('event' in value) return { ...value, event: withoutGrowth(value.event) }
  const { growth: _, ...rest } = { growth: undefined, ...value }
  return rest
}

function messagesOf(event: ReadEvent | string): readonly unknown[] {
  return typeof event === 'string' ? [] : (event.messages ?? [])
}

function bodyOf(...messages: unknown[]): Buffer {
  return Buffer.from(JSON.stringify(conversationUpdate('c1', ...messages)))
}
