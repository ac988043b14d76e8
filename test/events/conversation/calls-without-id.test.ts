import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCallsWithoutId } from '../../../src/events/conversation/calls-without-id.ts'
import { type Change, createConversationTracker } from '../../../src/events/conversation/index.ts'
import { readEvent } from '../../../src/events/conversation/read/read-event.ts'
import { runs } from '../../helpers/every-case.ts'

interface Said {
  readonly messageId?: string
  readonly role: string
  readonly text: string
  readonly timestamp?: string
}

function update(...messages: unknown[]) {
  return { message: { type: 'conversation-update', messages } }
}

function status(word: string, call: Record<string, unknown> = {}) {
  return { message: { type: 'status-update', call: { status: word, ...call } } }
}

const welcome: Said = { messageId: 'assistant-1', role: 'assistant', text: 'Front desk, hello.' }
const user = (text: string, number = 1): Said => ({ messageId: `user-${number}`, role: 'user', text })
const assistant = (text: string, number: number): Said => ({
  messageId: `assistant-${number}`,
  role: 'assistant',
  text,
})
const at = (said: Said, seconds: number): Said => ({
  ...said,
  timestamp: new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1000).toISOString(),
})

/** The number of the call that each event is placed in. */
function placed(...bodies: readonly Record<string, unknown>[]) {
  const calls = createCallsWithoutId()
  return bodies.map(body => calls.assign(readEvent(body)).origin.conversation)
}

/** Changes of each call, and doubts. */
function shown(...bodies: readonly Record<string, unknown>[]) {
  const tally = createConversationTracker()
  const taken = bodies.map(body => tally.apply(readEvent(body)))
  const changes = taken.flatMap(({ changes }) => changes)
  const textsOf = (conversation: number) =>
    changes.filter(change => change.conversation === conversation).map(wordsOf)
  return { textsOf, changes, doubts: taken.filter(({ doubt }) => doubt).length, counts: tally.counts() }
}

function wordsOf(change: Change): unknown {
  return change.kind === 'status' ? change.status : 'text' in change ? change.text : change.kind
}

describe('one call', () => {
  test('is one conversation while it grows, is repeated, and is late', () => {
    const all = [welcome, user('I need a repair.'), assistant('On Tuesday at ten?', 2), user('Yes.', 2)]
    const updates = all.map((_, index) => update(...all.slice(0, index + 1)))
    expect(placed(...updates, ...updates.toReversed(), ...updates)).toEqual(Array(12).fill(1))
  })

  test('keeps edits of messages in progress', () => {
    const texts = ['I', 'I wood', 'I would like', 'I would like to bock', 'I would like to book a repair.']
    const updates = texts.map(text => update(welcome, user(text)))
    const { changes, counts } = shown(...updates)
    expect(changes.map(({ kind }) => kind)).toEqual(['message', 'message', 'edit', 'edit', 'edit', 'edit'])
    expect(counts).toMatchObject({ calls: 1, edits: 4 })
  })

  test('may be recognized by its messages if they have no ids', () => {
    const said = [
      { role: 'assistant', text: 'Hello.' },
      { role: 'user', text: 'A repair.' },
      { role: 'assistant', text: 'When?' },
    ]
    expect(placed(update(said[0]), update(...said.slice(0, 2)), update(...said), update(said[0]))).toEqual([
      1, 1, 1, 1,
    ])
  })

  test('whose ids occur once in the world stays one, for any texts and any end', () => {
    const id = '5b2c6f8e-7a53-4d0c-9d5e-000000000001'
    const first = { ...welcome, messageId: id }
    expect(
      placed(
        update(first, user('Eye wood')),
        update({ ...first, text: 'Something else entirely' }, user('I would like')),
        status('finished'),
        update(first),
      ),
    ).toEqual([1, 1, 1, 1])
  })

  test('in any order of its updates, again and again, some of them never', () => {
    const texts = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 10 })
    const times = fc.constantFrom('none', 'own')
    fc.assert(
      fc.property(
        texts,
        times,
        fc.infiniteStream(fc.nat()),
        fc.nat({ max: 60 }),
        (all, time, order, count) => {
          const said = all.map((text, index) => {
            const message = { ...user(text, index), role: index % 2 === 0 ? 'assistant' : 'user' }
            return time === 'own' ? at(message, index) : message
          })
          const updates = said.map((_, index) => update(...said.slice(0, index + 1)))
          const events = Array.from(
            { length: count },
            () => updates[(order.next().value ?? 0) % updates.length],
          )
          const arrived = events.filter(event => event !== undefined)
          expect(new Set(placed(...arrived)).size).toBe(arrived.length === 0 ? 0 : 1)
          const largest = Math.max(0, ...arrived.map(({ message }) => message.messages.length))
          expect(shown(...arrived).textsOf(1)).toEqual(expect.arrayContaining(all.slice(0, largest)))
        },
      ),
      { numRuns: runs(300) },
    )
  })
})

describe('two calls, one after the other', () => {
  const first = [welcome, user('I need a repair.'), assistant('On Tuesday at ten?', 2)]
  const second = [welcome, user('When are you open?'), assistant('From nine to six.', 2)]
  const updates = (said: readonly Said[]) => said.map((_, index) => update(...said.slice(0, index + 1)))

  test.each([
    ['with the same welcome and no word of the end', updates(first), updates(second)],
    ['with an end between them', [...updates(first), status('finished')], updates(second)],
    [
      'with statuses of their own',
      [status('queued'), status('ongoing'), ...updates(first), status('finished')],
      [status('queued'), status('ongoing'), ...updates(second), status('finished')],
    ],
    [
      'with the times of their messages',
      updates(first.map((said, index) => at(said, index))),
      updates(second.map((said, index) => at(said, 100 + index))),
    ],
    [
      'with another welcome',
      updates(first),
      updates([{ ...welcome, text: 'The workshop speaking.' }, ...second.slice(1)]),
    ],
    [
      'without ids of messages',
      updates(first.map(({ messageId: _, ...said }) => said)),
      updates(second.map(({ messageId: _, ...said }) => said)),
    ],
    [
      'with ids of calls in the statuses alone',
      [
        { message: { type: 'status-update', call: { id: 'CC-1', status: 'ongoing' } } },
        ...updates(first),
        { message: { type: 'status-update', call: { id: 'CC-1', status: 'finished' } } },
      ],
      updates(second),
    ],
  ])('do not mix: %s', (_, one, other) => {
    const { textsOf, changes, counts } = shown(...one, ...other)
    expect(changes.filter(({ kind }) => kind === 'edit')).toEqual([])
    const said = (conversation: number) =>
      textsOf(conversation).filter(text => !['queued', 'ongoing', 'finished'].includes(String(text)))
    expect(said(1)).toEqual(first.map(({ text }) => text))
    expect(said(2).slice(1)).toEqual(second.slice(1).map(({ text }) => text))
    expect(said(2)).toHaveLength(3)
    expect(counts.messages).toBe(6)
  })

  test('fewer messages than after the end are those of another call, all of them again are not', () => {
    expect(
      placed(...updates(first), status('finished'), update(...first), update(welcome), ...updates(second)),
    ).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2])
  })

  test('the same welcome at another time is another call', () => {
    expect(placed(update(at(welcome, 0)), update(at(welcome, 60)), update(at(welcome, 0)))).toEqual([1, 2, 1])
  })

  test('a service that stamps what it sends has one call anyway', () => {
    const all = [welcome, user('I need a repair.'), assistant('On Tuesday at ten?', 2), user('Yes.', 2)]
    const numbers = placed(
      ...all.map((_, index) => update(...all.slice(0, index + 1).map(said => at(said, index)))),
    )
    expect(numbers.slice(1)).toEqual([numbers[1], numbers[1], numbers[1]])
  })
})

describe('two calls at once', () => {
  test('are told apart by their texts, and the doubt is reported once', () => {
    const one = [welcome, user('I need a repair.'), assistant('On Tuesday at ten?', 2), user('Yes.', 2)]
    const other = [welcome, user('When are you open?'), assistant('From nine to six.', 2), user('Yes.', 2)]
    const events = one.flatMap((_, index) => [
      update(...one.slice(0, index + 1)),
      update(...other.slice(0, index + 1)),
    ])
    const { textsOf, doubts } = shown(...events)
    expect(textsOf(1)).toEqual(one.map(({ text }) => text))
    expect(textsOf(2)).toEqual(other.map(({ text }) => text))
    expect(doubts).toBe(1)
  })

  test('assigns a long update to the call that it continues, not to a new one with the same start', () => {
    const same = [welcome, user('Hello.'), assistant('How can I help?', 2)]
    const long = [...same, user('A repair.', 2), assistant('On Tuesday?', 3)]
    const begun = [...same.slice(0, 2).map((said, index) => at(said, 100 + index))]
    const timed = long.map((said, index) => at(said, index))
    expect(
      placed(
        update(...timed.slice(0, 4)),
        update(...begun),
        update(...timed),
        update(...begun, at(same[2] ?? welcome, 103)),
      ),
    ).toEqual([1, 2, 1, 2])
  })

  test('whose facts differ are two', () => {
    const event = (userNumber: string) => ({
      message: { type: 'conversation-update', call: { userNumber }, messages: [welcome] },
    })
    expect(placed(event('+12025550101'), event('+12025550102'), event('+12025550101'))).toEqual([1, 2, 1])
  })
})

describe('events of no conversation', () => {
  test('events without message, status or analysis belong to no call', () => {
    expect(placed({}, { message: { type: 'speech-update' } }, { message: [] })).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('assigns an end only to the live call', () => {
    expect(
      placed(
        update(welcome),
        { message: { type: 'end-of-call-report', analysis: { summary: 's' } } },
        status('finished'),
        status('queued'),
        status('ongoing'),
        update(welcome),
        status('busy'),
      ),
    ).toEqual([1, 1, 1, 2, 2, 2, 2])
  })
})

test('a thousand calls at once, and many after one another, cost what one costs', () => {
  const calls = createCallsWithoutId({ maxCalls: 100 })
  for (let call = 0; call < 1000; call++) {
    const said = [welcome, user(`${call} is my number.`), assistant(`Thank you, ${call}.`, 2)]
    for (let count = 1; count <= 3; count++) calls.assign(readEvent(update(...said.slice(0, count))))
  }
  const { origin } = calls.assign(readEvent(update(welcome, user('999 is my number.'))))
  expect(origin.conversation).toBe(
    calls.assign(readEvent(update(welcome, user('999 is my number.')))).origin.conversation,
  )
})

test('two calls with the same ids and the same welcome never mix, in any order of their updates', () => {
  const texts = fc.uniqueArray(fc.stringMatching(/^[a-z]{12,20}$/), { minLength: 2, maxLength: 10 })
  fc.assert(
    fc.property(texts, fc.boolean(), fc.infiniteStream(fc.nat()), (all, hasTimes, order) => {
      const updates = [0, 1].flatMap(call => {
        const own = all.filter((_, index) => index % 2 === call)
        const said = [welcome, ...own.map((text, index) => user(text, index))].map((message, index) =>
          hasTimes ? at(message, 100 * call + index) : message,
        )
        const sizes = said.map((_, index) => index + 1)
        return sizes.map(size => ({ call, size, body: update(...said.slice(0, size)) }))
      })
      const events = Array.from({ length: 40 }, () => updates[(order.next().value ?? 0) % updates.length])
        .filter(event => event !== undefined)
        // What both say in the same words at no time is of no call in particular.
        .filter(({ size }) => hasTimes || size > 1)
      const numbers = placed(...events.map(({ body }) => body))
      const callsOf = new Map<unknown, typeof events>()
      for (const [index, event] of events.entries())
        callsOf.set(numbers[index], [...(callsOf.get(numbers[index]) ?? []), event])
      for (const together of callsOf.values()) expect(new Set(together.map(({ call }) => call)).size).toBe(1)
      expect(callsOf.size).toBe(new Set(events.map(({ call }) => call)).size)
    }),
    { numRuns: runs(500) },
  )
})
