import { describe, expect, test } from 'vitest'
import { applyEvent } from '../../../src/events/conversation/conversation.ts'
import {
  type Conversation,
  compactConversation,
  forgetOldest,
  newConversation,
} from '../../../src/events/conversation/conversation-cache.ts'
import type { Change, ReadEvent } from '../../../src/events/conversation/index.ts'
import { readEvent } from '../../../src/events/conversation/read/read-event.ts'
import { conversationUpdate, message, statusUpdate } from '../../helpers/events.ts'

type Body = Readonly<Record<string, unknown>>

const said = (...messages: unknown[]) => conversationUpdate('c1', ...messages)
const status = (word: string, more: Body = {}) => statusUpdate('c1', word, more)
/** The last event of a call, with what it carries. */
const report = (fields: Body) => ({
  message: { type: 'end-of-call-report', call: { id: 'c1' }, ...fields },
})
const update = (call: Body, more: Body = {}) => ({
  message: { type: 'conversation-update', call: { id: 'c1', ...call }, ...more },
})
const [a, b, other] = [message('m1', 'a'), message('m2', 'b'), message('m1', 'other')]
const yes = { role: 'user', text: 'yes' }
const over = { endAt: '2026-03-01T10:00:00.000Z' }
const booked = { summary: 'booked' }
const ended = 'finished! [end-of-call-report]'

function advance(conversation: Conversation, event: Body) {
  return applyEvent(conversation, readEvent(event))
}

function fold(...events: readonly Body[]) {
  let conversation = newConversation
  const changes: Change[] = []
  const totals = { repeats: 0, late: 0 }
  for (const event of events) {
    const step = advance(conversation, event)
    conversation = step.conversation
    changes.push(...step.changes)
    totals.repeats += step.repeats
    totals.late += step.late
  }
  return { conversation, changes, ...totals }
}

/** A change in short. An end has an exclamation mark, the type of another event than usual is in brackets. */
function short(change: Change): string {
  const type = change.kind !== 'event' && 'type' in change ? ` [${change.type}]` : ''
  switch (change.kind) {
    case 'message':
      return `${change.messageId ?? '-'} ${change.text}${type}`
    case 'edit':
      return `${change.messageId} ${change.text}, was ${change.before}`
    case 'malformed':
      return `malformed ${change.path}`
    case 'event':
      return `event: ${(change.odd ?? []).join(', ')}`
    case 'status': {
      const analysis = change.analysis === undefined ? '' : ` ${JSON.stringify(change.analysis)}`
      const phone = change.phoneCallStatus === undefined ? '' : ` ${change.phoneCallStatus}`
      return `${change.status}${change.ended === true ? '!' : ''}${phone}${analysis}${type}`
    }
  }
}

type Row = readonly [title: string, events: Body[], changes: string[], counts?: Partial<typeof none>]
const none = { repeats: 0, late: 0 }

function testRows(rows: readonly Row[]) {
  test.for(rows)('%s', ([, events, changes, counts]) => {
    const folded = fold(...events)
    expect(folded.changes.map(short)).toEqual(changes)
    if (counts !== undefined) expect(folded).toMatchObject(counts)
  })
}

describe('messages', () => {
  testRows([
    [
      'are shown once, in the order in which they first arrive',
      [said(a, b), said(a), said(a, b, message('m3', 'c'))],
      ['m1 a', 'm2 b', 'm3 c'],
      { repeats: 3 },
    ],
    [
      'without an id are known by their content and how often it occurs',
      [said(yes), said(yes, yes), said(yes, yes)],
      ['- yes', '- yes'],
    ],
    [
      'with one id in one update are one',
      [said(message('m1', 'helo'), message('m1', 'hello'), message('m1', 'hello'))],
      ['m1 helo', 'm1 hello, was helo'],
      { repeats: 1 },
    ],
    ['with other ids and the same text differ', [said(a), said(message('m2', 'a'))], ['m1 a', 'm2 a']],
    [
      'in another order, or with other predecessors, are not new',
      [said(a, b), said(b, a), said(null, a), said(a, null)],
      ['m1 a', 'm2 b', 'malformed messages[0]'],
      { repeats: 5 },
    ],
    ['of another event carry its type', [report({ messages: [a] })], ['m1 a [end-of-call-report]', ended]],
  ])

  test('that are none are shown once, unchanged', () => {
    const odd = [42, null, 'text', { messageId: 'm1' }, { text: [7] }, []]
    expect(fold(said(...odd), said(...odd)).changes).toEqual(
      odd.map((item, index) => ({ kind: 'malformed', callId: 'c1', path: `messages[${index}]`, item })),
    )
  })

  test('have the fields of their item and the call', () => {
    expect(fold(said(a)).changes).toEqual([{ kind: 'message', callId: 'c1', ...a }])
    expect(fold(conversationUpdate(undefined, a)).changes).toMatchObject([{ callId: null, text: 'a' }])
    expect(fold(said(yes)).changes).toEqual([
      { kind: 'message', callId: 'c1', messageId: null, ...yes, timestamp: undefined },
    ])
  })

  test('are reported instead of printed if nested without bound', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    expect(fold(said(deep)).changes).toMatchObject([{ item: '(nested too deeply to show)' }])
  })
})

describe('edits', () => {
  testRows([
    ['carry the text before', [said(a), said(other)], ['m1 a', 'm1 other, was a']],
    ['do not come from an older snapshot', [said(a, b), said(other)], ['m1 a', 'm2 b']],
    [
      'do not flip between two snapshots of one size',
      [said(a), said(other), said(a), said(other), said(a)],
      ['m1 a', 'm1 other, was a'],
    ],
    [
      'come from an update as large as the largest, though it brought no new message',
      [said(a), said(b), said(a, b), said(other)],
      ['m1 a', 'm2 b'],
    ],
    [
      'may return to an earlier text as the conversation grows',
      [said(a), said(other), said(a, b)],
      ['m1 a', 'm1 other, was a', 'm1 a, was other', 'm2 b'],
    ],
  ])

  test('do not come back to any earlier text at one size; 200 are remembered', () => {
    const versions = Array.from({ length: 201 }, (_, index) => said(message('m1', `${index}`)))
    expect(fold(...versions, ...versions.slice(0, -1)).changes).toHaveLength(201)
    const more = fold(...versions, said(message('m1', 'new'))).conversation
    expect(advance(more, said(message('m1', '1'))).changes).toEqual([])
    expect(advance(more, said(message('m1', '0'))).changes).toHaveLength(1)
  })

  test('of a finished call appear without the earlier text', () => {
    const { conversation } = fold(said(a), status('finished'))
    const late = advance(compactConversation(conversation), said(other))
    expect(late.changes).toEqual([{ kind: 'edit', callId: 'c1', ...other, before: undefined }])
    for (const known of [a, other]) {
      const repeated = advance(late.conversation, said(known))
      expect(repeated).toMatchObject({ changes: [], repeats: 1 })
      expect(repeated.conversation).toBe(late.conversation)
    }
    const next = advance(late.conversation, said(other, b))
    expect(next.changes).toEqual([{ kind: 'message', callId: 'c1', ...b }])
    expect(next.conversation.bytes - late.conversation.bytes).toBe(120)
  })
})

describe('statuses', () => {
  testRows([
    [
      'are shown once each; an older one after a later one is late',
      [status('queued'), status('queued'), status('finished'), status('ongoing')],
      ['queued', 'finished!'],
      { repeats: 1, late: 1 },
    ],
    [
      'may come with messages, late or not',
      [status('ongoing'), { message: { ...status('queued').message, messages: [a] } }],
      ['ongoing', 'm1 a [status-update]'],
      { late: 1 },
    ],
    [
      'later than the first are not late, and neither is one of no known order',
      [status('queued'), status('ongoing'), status('on-hold'), status('Queued')],
      ['queued', 'ongoing', 'on-hold'],
      { late: 1 },
    ],
    [
      'of a phone are shown, and so are words that the interface does not list',
      [status('queued'), status('queued', { phoneCallStatus: 'ringing' }), status('transferred')],
      ['queued', 'queued ringing', 'transferred'],
    ],
    [
      'of an event other than a status-update only report the end, with its own word',
      [
        status('ongoing'),
        report({ call: { id: 'c1', status: 'ongoing' } }),
        report({ call: { id: 'c1', status: 'completed' } }),
        status('finished'),
      ],
      ['ongoing', ended],
      { repeats: 2 },
    ],
    [
      'of a report are its own if they report the end',
      [report({ call: { id: 'c1', status: 'no-answer' } })],
      ['no-answer! [end-of-call-report]'],
    ],
    [
      'without an end end the call if the event says so otherwise, once',
      [status('ongoing'), status('ongoing', over), status('ongoing', over), status('ongoing')],
      ['ongoing', 'ongoing!'],
      { late: 1 },
    ],
    ...['ended', 'done', 'hangup', 'Terminated', 'complete'].map(
      (word): Row => [`mean the end: ${word}`, [status(word)], [`${word}!`]],
    ),
    ...(
      [
        ['finished', 'completed'],
        ['completed', 'completed'],
        ['Finished', 'completed'],
        ['failed', 'failed'],
      ] as const
    ).map(
      ([word, repeated]): Row => [
        `are not reported again by a report: ${word}`,
        [status(word), report({ call: { id: 'c1', status: repeated } })],
        [`${word}!`],
      ],
    ),
    ...(
      [
        [{ status: 'finished' }, 'finished'],
        [{ status: 'ended' }, 'ended'],
        [{ status: 'Completed' }, 'Completed'],
        [{ status: 'hung_up' }, 'hung_up'],
        [{ status: 'ongoing', ...over }, 'finished'],
        [over, 'finished'],
      ] as const
    ).map(
      ([call, word]): Row => [
        `of a conversation-update are shown once after the messages: ${JSON.stringify(call)}`,
        [update(call, { messages: [a] }), update(call, { messages: [a] })],
        ['m1 a', `${word}! [conversation-update]`],
        { repeats: 1 },
      ],
    ),
  ])

  test('have what is known of the call, times and numbers of any form as text', () => {
    const facts = { callType: 'phone', direction: 'inbound', assistantNumber: '+12025550100' }
    const { changes, conversation } = fold(
      status('ongoing', {
        ...facts,
        ...{ userNumber: 2025550123, startAt: Date.UTC(2026, 2, 1, 10), endAt: null, teamId: 'not shown' },
      }),
      status('finished', { endAt: Date.UTC(2026, 2, 1, 11), callEndTriggerBy: 'user' }),
    )
    expect(changes).toStrictEqual([
      {
        ...{ kind: 'status', callId: 'c1', status: 'ongoing', ...facts },
        ...{ userNumber: '2025550123', startAt: '2026-03-01T10:00:00.000Z' },
      },
      {
        ...{ kind: 'status', callId: 'c1', status: 'finished', ended: true },
        ...{ endAt: '2026-03-01T11:00:00.000Z', callEndTriggerBy: 'user' },
      },
    ])
    expect(conversation.ended).toBe(true)
  })
})

describe('an analysis', () => {
  const analysis = { ...booked, successEvaluation: null }
  const shown = JSON.stringify(booked)
  const odd = 'event: call.status is missing'
  const alone = { message: { type: 'status-update', call: { id: 'c1' }, analysis } }

  testRows([
    [
      'comes with its status, once',
      [status('finished', { analysis }), status('finished', { analysis })],
      [`finished! ${shown}`],
    ],
    [
      'may arrive after the end, or inside the call',
      [
        status('finished', { analysis: {} }),
        { message: { type: 'status-update', call: { id: 'c1', status: 'finished', analysis } } },
      ],
      ['finished!', `finished ${shown}`],
    ],
    [
      'is reported once, without empty fields, with any event',
      [status('finished'), report({ analysis }), report({ analysis }), status('finished', { analysis })],
      ['finished!', `finished ${shown} [end-of-call-report]`],
      { repeats: 2 },
    ],
    [
      'is reported again if it is another one, and not with a status if it was reported',
      [
        status('ongoing', { analysis: { summary: 'so far' } }),
        report({ analysis }),
        status('failed', { analysis }),
      ],
      ['ongoing {"summary":"so far"}', `finished! ${shown} [end-of-call-report]`, 'failed!'],
    ],
    [
      'of a conversation-update has the status of the call, and appears once with its end',
      [update({ status: 'finished' }, { messages: [], analysis }), status('finished')],
      [`finished! ${shown} [conversation-update]`],
    ],
    [
      'of a conversation-update of a live call has its status',
      [update({ status: 'ongoing' }, { messages: [], analysis }), status('finished')],
      [`ongoing ${shown} [conversation-update]`, 'finished!'],
    ],
    [
      'without a status has that of the call',
      [status('ongoing'), alone],
      ['ongoing', `ongoing ${shown}`, odd],
    ],
    ['without any status is of an unknown one', [alone], [`unknown ${shown}`, odd]],
    [
      'counts no repetitions next to messages',
      [report({ analysis, messages: [a] }), report({ analysis, messages: [a] })],
      ['m1 a [end-of-call-report]', `finished! ${shown} [end-of-call-report]`],
      { repeats: 1 },
    ],
    [
      'that is no object is shown under its own name',
      [report({ analysis: 'good' })],
      ['finished! {"analysis":"good"} [end-of-call-report]'],
    ],
  ])

  test('alone does not end the call', () => expect(fold(alone).conversation.ended).toBe(false))
})

test('an event that was read is shown whole only for what is odd in it, each of that once', () => {
  const odd = { message: { type: 'status-update', call: { id: 'c1', status: 'ongoing' }, customer: [] } }
  const { changes, repeats } = fold(odd, odd, { message: { ...odd.message, assistant: [] } })
  expect(changes).toEqual([
    { kind: 'status', callId: 'c1', status: 'ongoing' },
    { kind: 'event', callId: 'c1', type: 'status-update', odd: ['customer is a list'], event: odd },
    expect.objectContaining({ kind: 'event', odd: ['customer is a list', 'assistant is a list'] }),
  ])
  expect(repeats).toBe(2)
})

test.each([
  [undefined, { type: 'speech-update', call: { id: 'c1', status: 'ongoing' }, extra: [1] }],
  ['messages is missing', { type: 'conversation-update', call: { id: 'c1' } }],
  ['call.status is missing', { type: 'status-update', call: { id: 'c1' } }],
])('an event that was not read is shown whole each time, with what is odd: %s', (odd, message) => {
  const { changes, repeats } = fold({ message }, { message })
  const change = { kind: 'event', type: message.type, callId: 'c1', event: { message } }
  const first = odd === undefined ? change : { ...change, odd: [odd] }
  expect(changes).toEqual([first, first])
  expect(repeats).toBe(0)
})

describe('memory', () => {
  const bytesOf = (...events: readonly Body[]) => fold(...events).conversation.bytes - newConversation.bytes

  test('is estimated from ids and texts, two bytes a character', () => {
    const one = bytesOf(said(message('m1', '')))
    expect(one).toBeGreaterThan(100)
    expect(bytesOf(said(message('m1', 'x'.repeat(50))))).toBe(one + 100)
    expect(bytesOf(said(message('m1'.repeat(5), '')))).toBe(one + 16)
    expect(bytesOf(said(message('m1', '')), said(message('m1', ''), message('m2', '')))).toBe(2 * one)
  })

  test('counts events without an id, odd ones, and statuses', () => {
    const one = bytesOf(said(7))
    expect(one).toBeGreaterThan(100)
    expect(bytesOf(said(7, 7, yes))).toBe(3 * one)
    expect(bytesOf(status('queued'), status('ongoing'))).toBe(4 * one)
    expect(bytesOf(report({ analysis: 'good', customer: [] }))).toBe(4 * one)
    const { shownKeys: shown } = fold(report({ analysis: 'long '.repeat(100) })).conversation
    expect(Math.max(...[...shown].map(({ length }) => length))).toBeLessThan(100)
  })

  test('grows with each text that a message had at one size, and shrinks when the call grows', () => {
    const versions = ['a', 'b', 'c'].map(text => said(message('m1', text)))
    const [first = 0, second, third] = versions.map((_, index) => bytesOf(...versions.slice(0, index + 1)))
    expect([second, third]).toEqual([first + 40, first + 80])
    const grown = [message('m1', 'd'), message('m2', 'e')]
    expect(bytesOf(...versions, said(...grown))).toBe(2 * first + 40)
  })

  test('of an ended call has no ids and texts, and repeats nothing', () => {
    const events = [
      said(message('m1', 'long '.repeat(100)), 7),
      said(message('m1', 'longer '.repeat(100)), 7),
      status('finished'),
    ]
    const compact = compactConversation(fold(...events).conversation)
    const brief = fold(said(message('m1', 'a'), 7), said(message('m1', 'b'), 7), status('finished'))
    expect(compact.bytes).toBe(brief.conversation.bytes - 2 * 'm1b'.length)
    expect(compactConversation(compact)).toBe(compact)
    expect(compact.lastMessages).toEqual([])
    expect(JSON.stringify([...compact.messages])).not.toMatch(/m1|long/)
    for (const event of events)
      expect(advance(compact, event)).toMatchObject({ changes: [], conversation: { bytes: compact.bytes } })
    const late = advance(compact, said(message('m1', 'last'), 7)).conversation
    expect(late).toMatchObject({ bytes: compact.bytes + 40, lastMessages: [] })
  })

  test('is not taken again by a repeat, and the input state is not changed', () => {
    const events = [said(a, 7), status('queued')]
    const { conversation } = fold(...events)
    const copy = structuredClone(conversation)
    for (const event of events) expect(advance(conversation, event).conversation).toBe(conversation)
    for (const event of [said(other, b, 7), status('finished')]) advance(conversation, event)
    expect(conversation).toEqual(copy)
  })

  test('of a call beyond its limit is that of its last messages', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`)
    const messages = ids.map(id => message(id, 'hello'))
    const words = ids.map(id => ({ role: 'user', text: `without id: ${id}` }))
    const compact = compactConversation(fold(said(...messages, ...words), status('queued')).conversation)
    const bound = newConversation.bytes + 2400
    const kept = forgetOldest(compact, bound)
    expect(kept.bytes).toBe(bound)
    const news = (items: readonly unknown[]) =>
      items.filter(item => advance(kept, said(item)).changes.length > 0).length
    for (const items of [messages, words])
      expect([news(items.slice(0, 40)), news(items.slice(40))]).toEqual([40, 0])
    for (const nothing of [bound - 2400, 0].map(bytes => forgetOldest(compact, bytes)))
      expect(nothing).toMatchObject({
        ...{ bytes: newConversation.bytes, messages: [new Map()], anonymous: [new Map()] },
      })
    expect(advance(kept, status('queued')).changes).toHaveLength(1)
  })
})

describe('checks only the new messages of a snapshot that continues the previous one', () => {
  const [one, two, three] = [{}, {}, {}]
  const read = (event: Body, token: object, before?: object, unchanged = 0): ReadEvent => ({
    ...readEvent(event),
    growth: { token, before, unchanged },
  })
  const [c, d] = [message('m3', 'c'), message('m4', 'd')]

  test.each([
    [
      // Its first message is said to be known, so another text of it is not seen.
      'if all known messages are in place',
      [read(said(a), one), read(said(other, b), two, one, 1)],
      [['m1 a'], ['m2 b']],
    ],
    [
      'but not after an older one, whose edits were left out',
      [readEvent(said(a, c, d)), read(said(other, b), one), read(said(other, b, c, d), two, one, 2)],
      [['m1 a', 'm3 c', 'm4 d'], ['m2 b'], ['m1 other, was a']],
    ],
    [
      'but not after one with items without ids, which are counted',
      [read(said(yes), one), read(said(yes, yes), two, one, 1), read(said(yes, yes, yes), three, two, 2)],
      [['- yes'], ['- yes'], ['- yes']],
    ],
  ])('%s', (_, events, expected) => {
    let conversation = newConversation
    const changes = events.map(event => {
      const step = applyEvent(conversation, event)
      conversation = step.conversation
      return step.changes.map(short)
    })
    expect(changes).toEqual(expected)
  })
})
