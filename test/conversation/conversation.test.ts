import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/conversation/changes.ts'
import { applyEvent as advanceRead } from '../../src/conversation/conversation.ts'
import { type ReadEvent, readEvent } from '../../src/conversation/read/read-event.ts'
import {
  type Conversation,
  compactConversation,
  forgetOldest,
  newConversation,
} from '../../src/conversation/seen-calls.ts'
import { conversationUpdate, message, statusUpdate } from '../webhook/events.ts'

describe('messages', () => {
  test('are shown once, in the order in which they first arrive', () => {
    const { changes, repeats } = fold(
      conversationUpdate('c1', message('m1', 'hello', 'assistant'), message('m2', 'hi')),
      conversationUpdate('c1', message('m1', 'hello', 'assistant')),
      conversationUpdate(
        'c1',
        message('m1', 'hello', 'assistant'),
        message('m2', 'hi'),
        message('m3', 'bye'),
      ),
    )
    expect(changes).toEqual([
      { kind: 'message', callId: 'c1', ...message('m1', 'hello', 'assistant') },
      { kind: 'message', callId: 'c1', ...message('m2', 'hi') },
      { kind: 'message', callId: 'c1', ...message('m3', 'bye') },
    ])
    expect(repeats).toBe(3)
  })

  test('without an id are known by their content and how often it occurs', () => {
    const yes = { role: 'user', text: 'yes' }
    const { changes } = fold(
      conversationUpdate('c1', yes),
      conversationUpdate('c1', yes, yes),
      conversationUpdate('c1', yes, yes),
    )
    expect(changes).toEqual([
      { kind: 'message', callId: 'c1', messageId: null, role: 'user', text: 'yes', timestamp: undefined },
      { kind: 'message', callId: 'c1', messageId: null, role: 'user', text: 'yes', timestamp: undefined },
    ])
  })

  test('told apart in one update by their ids: one id is one message', () => {
    const { changes, repeats } = fold(
      conversationUpdate('c1', message('m1', 'helo'), message('m1', 'hello'), message('m1', 'hello')),
    )
    expect(changes.map(change => [change.kind, textOf(change)])).toEqual([
      ['message', 'helo'],
      ['edit', 'hello'],
    ])
    expect(repeats).toBe(1)
  })

  test('with other ids and the same text are different', () => {
    expect(
      fold(conversationUpdate('c1', message('m1', 'yes')), conversationUpdate('c1', message('m2', 'yes')))
        .changes,
    ).toHaveLength(2)
  })

  test('in another order, or with other predecessors, are not new', () => {
    const { changes, repeats } = fold(
      conversationUpdate('c1', message('m1', 'a'), message('m2', 'b')),
      conversationUpdate('c1', message('m2', 'b'), message('m1', 'a')),
      conversationUpdate('c1', null, message('m1', 'a')),
      conversationUpdate('c1', message('m1', 'a'), null),
    )
    expect(changes.map(({ kind }) => kind)).toEqual(['message', 'message', 'malformed'])
    expect(repeats).toBe(5)
  })

  test('of an event of another type carry that type', () => {
    expect(fold(report({ messages: [message('m1', 'hello')] })).changes[0]).toEqual({
      kind: 'message',
      callId: 'c1',
      type: 'end-of-call-report',
      ...message('m1', 'hello'),
    })
  })

  test('that are none are shown once, unchanged', () => {
    const odd = [42, null, 'text', { messageId: 'm1' }, { text: [7] }, []]
    const { changes } = fold(conversationUpdate('c1', ...odd), conversationUpdate('c1', ...odd))
    expect(changes).toEqual(
      odd.map((item, index) => ({ kind: 'malformed', callId: 'c1', path: `messages[${index}]`, item })),
    )
  })

  test('without a call share one conversation', () => {
    expect(fold(conversationUpdate(undefined, message('m1', 'hello'))).changes).toMatchObject([
      { callId: null, text: 'hello' },
    ])
  })

  test('are reported instead of printed if nested without bound', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
    expect(fold(conversationUpdate('c1', deep)).changes).toEqual([
      { kind: 'malformed', callId: 'c1', path: 'messages[0]', item: '(nested too deeply to show)' },
    ])
  })
})

describe('edits', () => {
  test('carry the text before', () => {
    const { changes } = fold(
      conversationUpdate('c1', message('m1', 'helo')),
      conversationUpdate('c1', message('m1', 'hello')),
    )
    expect(changes[1]).toEqual({ kind: 'edit', callId: 'c1', ...message('m1', 'hello'), before: 'helo' })
  })

  test('do not come from an older snapshot', () => {
    const { changes } = fold(
      conversationUpdate('c1', message('m1', 'hello'), message('m2', 'hi')),
      conversationUpdate('c1', message('m1', 'helo')),
    )
    expect(changes.map(({ kind }) => kind)).toEqual(['message', 'message'])
  })

  test('do not flip between two snapshots of one size', () => {
    const [first, second] = [
      conversationUpdate('c1', message('m1', 'a')),
      conversationUpdate('c1', message('m1', 'b')),
    ]
    expect(fold(first, second, first, second, first).changes.map(textOf)).toEqual(['a', 'b'])
  })

  test('do not come back to any earlier text at one size, however many there were', () => {
    const versions = Array.from({ length: 201 }, (_, index) =>
      conversationUpdate('c1', message('m1', `${index}`)),
    )
    expect(fold(...versions, ...versions.slice(0, -1)).changes).toHaveLength(201)
    // 200 of them are remembered.
    const more = fold(...versions, conversationUpdate('c1', message('m1', 'new'))).conversation
    expect(advance(more, conversationUpdate('c1', message('m1', '1'))).changes).toEqual([])
    expect(advance(more, conversationUpdate('c1', message('m1', '0'))).changes).toHaveLength(1)
  })

  test('come from an update as large as the largest, though it brought no new message', () => {
    const { changes } = fold(
      conversationUpdate('c1', message('m1', 'a')),
      conversationUpdate('c1', message('m2', 'b')),
      conversationUpdate('c1', message('m1', 'a'), message('m2', 'b')),
      conversationUpdate('c1', message('m1', 'older')),
    )
    expect(changes.map(textOf)).toEqual(['a', 'b'])
  })

  test('may return to an earlier text as the conversation grows', () => {
    const { changes } = fold(
      conversationUpdate('c1', message('m1', 'a')),
      conversationUpdate('c1', message('m1', 'b')),
      conversationUpdate('c1', message('m1', 'a'), message('m2', 'x')),
    )
    expect(changes.map(textOf)).toEqual(['a', 'b', 'a', 'x'])
  })

  test('of a finished call appear without the earlier text', () => {
    const { conversation } = fold(
      conversationUpdate('c1', message('m1', 'a')),
      statusUpdate('c1', 'finished'),
    )
    const late = advance(compactConversation(conversation), conversationUpdate('c1', message('m1', 'b')))
    expect(late.changes).toEqual([{ kind: 'edit', callId: 'c1', ...message('m1', 'b'), before: undefined }])
    for (const text of ['a', 'b']) {
      const repeated = advance(late.conversation, conversationUpdate('c1', message('m1', text)))
      expect(repeated).toMatchObject({ changes: [], repeats: 1 })
      expect(repeated.conversation).toBe(late.conversation)
    }
    const next = advance(late.conversation, conversationUpdate('c1', message('m1', 'b'), message('m2', 'c')))
    expect(next.changes).toEqual([{ kind: 'message', callId: 'c1', ...message('m2', 'c') }])
    expect(next.conversation.bytes - late.conversation.bytes).toBe(120)
  })
})

describe('statuses', () => {
  test('are shown once each; an older one after a later one is late', () => {
    const { changes, repeats, late } = fold(
      statusUpdate('c1', 'queued'),
      statusUpdate('c1', 'queued'),
      statusUpdate('c1', 'finished'),
      statusUpdate('c1', 'ongoing'),
    )
    expect(changes).toEqual([
      { kind: 'status', callId: 'c1', status: 'queued' },
      { kind: 'status', callId: 'c1', status: 'finished', ended: true },
    ])
    expect({ repeats, late }).toEqual({ repeats: 1, late: 1 })
  })

  test('carry what is known of the call and the analysis, once', () => {
    const finished = statusUpdate('c1', 'finished', {
      callEndTriggerBy: 'user',
      analysis: { summary: 'done', structuredData: { n: 1 } },
    })
    expect(fold(finished, finished).changes).toEqual([
      {
        kind: 'status',
        callId: 'c1',
        status: 'finished',
        ended: true,
        callEndTriggerBy: 'user',
        analysis: { summary: 'done', structuredData: { n: 1 } },
      },
    ])
  })

  test('shows an analysis that arrives after the end, and one inside the call', () => {
    const { changes } = fold(statusUpdate('c1', 'finished', { analysis: {} }), {
      message: {
        type: 'status-update',
        call: { id: 'c1', status: 'finished', analysis: { summary: 'late' } },
      },
    })
    expect(changes).toEqual([
      { kind: 'status', callId: 'c1', status: 'finished', ended: true },
      { kind: 'status', callId: 'c1', status: 'finished', analysis: { summary: 'late' } },
    ])
  })

  test('show a phone status, and words that the interface does not list', () => {
    const { changes } = fold(
      statusUpdate('c1', 'queued'),
      statusUpdate('c1', 'queued', { phoneCallStatus: 'ringing' }),
      statusUpdate('c1', 'transferred'),
      statusUpdate('c1', 'ongoing'),
    )
    expect(changes).toMatchObject([
      { status: 'queued' },
      { status: 'queued', phoneCallStatus: 'ringing' },
      { status: 'transferred' },
      { status: 'ongoing' },
    ])
  })
})

describe('a status', () => {
  test('of an event other than a status-update only reports the end, with its own word', () => {
    const { changes, repeats } = fold(
      statusUpdate('c1', 'ongoing'),
      report({ call: { id: 'c1', status: 'ongoing', direction: 'inbound' } }),
      report({ call: { id: 'c1', status: 'completed' } }),
      statusUpdate('c1', 'finished'),
    )
    expect(changes).toEqual([
      { kind: 'status', callId: 'c1', status: 'ongoing' },
      {
        kind: 'status',
        callId: 'c1',
        type: 'end-of-call-report',
        status: 'finished',
        ended: true,
        direction: 'inbound',
      },
    ])
    expect(repeats).toBe(2)
  })

  test.each(['finished', 'completed', 'Finished', 'failed'])(
    '%s that came before is not reported again',
    word => {
      const status = word === 'failed' ? 'failed' : 'completed'
      const { changes } = fold(statusUpdate('c1', word), report({ call: { id: 'c1', status } }))
      expect(changes).toHaveLength(1)
    },
  )

  test('of a report is its own if it reports the end', () => {
    expect(fold(report({ call: { id: 'c1', status: 'no-answer' } })).changes).toMatchObject([
      { status: 'no-answer', ended: true },
    ])
  })

  test('without an end ends the call if the event says so otherwise, once', () => {
    const ongoing = statusUpdate('c1', 'ongoing')
    const over = statusUpdate('c1', 'ongoing', { endAt: '2026-03-01T10:00:00.000Z' })
    const { changes, conversation, late } = fold(ongoing, over, over, ongoing)
    expect(changes).toEqual([
      { kind: 'status', callId: 'c1', status: 'ongoing' },
      { kind: 'status', callId: 'c1', status: 'ongoing', ended: true, endAt: '2026-03-01T10:00:00.000Z' },
    ])
    expect({ late, ended: conversation.ended }).toEqual({ late: 1, ended: true })
  })

  test.each([
    [{ status: 'finished' }, 'finished'],
    [{ status: 'ended' }, 'ended'],
    [{ status: 'Completed' }, 'Completed'],
    [{ status: 'hung_up' }, 'hung_up'],
    [{ status: 'ongoing', endAt: '2026-03-01T10:00:00.000Z' }, 'finished'],
    [{ endAt: '2026-03-01T10:00:00.000Z' }, 'finished'],
  ])(
    'of a conversation-update that reports the end, %o, is shown once after the messages',
    (fields, status) => {
      const update = {
        message: {
          type: 'conversation-update',
          call: { id: 'c1', ...fields },
          messages: [message('m1', 'bye')],
        },
      }
      const { changes, conversation, repeats } = fold(update, update)
      expect(changes).toMatchObject([
        { kind: 'message', callId: 'c1', ...message('m1', 'bye') },
        { kind: 'status', callId: 'c1', type: 'conversation-update', status, ended: true },
      ])
      expect(changes).toHaveLength(2)
      expect({ ended: conversation.ended, repeats }).toEqual({ ended: true, repeats: 1 })
    },
  )

  test.each(['ended', 'done', 'hangup', 'Terminated', 'complete'])('%s means the end', word => {
    expect(fold(statusUpdate('c1', word)).changes).toMatchObject([{ status: word, ended: true }])
  })

  test('later than the first is not late, and one of no known order neither', () => {
    const { changes, late } = fold(
      statusUpdate('c1', 'queued'),
      statusUpdate('c1', 'ongoing'),
      statusUpdate('c1', 'on-hold'),
      statusUpdate('c1', 'Queued'),
    )
    expect(changes.map(change => 'status' in change && change.status)).toEqual([
      'queued',
      'ongoing',
      'on-hold',
    ])
    expect(late).toBe(1)
  })

  test('stays the call’s if an analysis has none', () => {
    const analysis = { summary: 'so far' }
    const alone = { message: { type: 'status-update', call: { id: 'c1' }, analysis } }
    expect(fold(statusUpdate('c1', 'ongoing'), alone).changes[1]).toEqual({
      kind: 'status',
      callId: 'c1',
      status: 'ongoing',
      analysis,
    })
    const { changes, conversation } = fold(alone)
    expect(changes[0]).toMatchObject({ kind: 'status', status: 'unknown', analysis })
    expect(conversation.ended).toBe(false)
  })

  test('shows times and numbers of any form as text', () => {
    const { changes } = fold(
      statusUpdate('c1', 'ongoing', {
        callType: 'phone',
        direction: 'inbound',
        userNumber: 2025550123,
        assistantNumber: '+12025550100',
        startAt: Date.UTC(2026, 2, 1, 10),
        endAt: null,
        teamId: 'not shown',
      }),
      statusUpdate('c1', 'finished', { endAt: Date.UTC(2026, 2, 1, 11) }),
    )
    expect(changes).toStrictEqual([
      {
        kind: 'status',
        callId: 'c1',
        status: 'ongoing',
        callType: 'phone',
        direction: 'inbound',
        userNumber: '2025550123',
        assistantNumber: '+12025550100',
        startAt: '2026-03-01T10:00:00.000Z',
      },
      { kind: 'status', callId: 'c1', status: 'finished', ended: true, endAt: '2026-03-01T11:00:00.000Z' },
    ])
  })
})

describe('an analysis', () => {
  const analysis = { summary: 'booked', successEvaluation: null }

  test('is reported once, without empty fields, with any event', () => {
    const { changes, repeats } = fold(
      statusUpdate('c1', 'finished'),
      report({ analysis }),
      report({ analysis }),
      statusUpdate('c1', 'finished', { analysis }),
    )
    expect(changes.slice(1)).toEqual([
      {
        kind: 'status',
        callId: 'c1',
        type: 'end-of-call-report',
        status: 'finished',
        analysis: { summary: 'booked' },
      },
    ])
    expect(repeats).toBe(2)
  })

  test('reports another one too, and does not repeat a reported one with a status', () => {
    const other = { summary: 'booked for ten' }
    const { changes } = fold(
      statusUpdate('c1', 'ongoing', { analysis: { summary: 'booked' } }),
      report({ analysis: other }),
      statusUpdate('c1', 'failed', { analysis: other }),
    )
    expect(changes.map(change => 'analysis' in change && change.analysis)).toEqual([
      { summary: 'booked' },
      other,
      false,
    ])
  })

  test('of a conversation-update has the status of the call, and appears once with its end', () => {
    const update = {
      message: {
        type: 'conversation-update',
        call: { id: 'c1', status: 'finished' },
        messages: [],
        analysis,
      },
    }
    const { changes } = fold(update, statusUpdate('c1', 'finished'))
    expect(changes).toMatchObject([
      { type: 'conversation-update', status: 'finished', ended: true, analysis: { summary: 'booked' } },
    ])
    expect(changes).toHaveLength(1)
    const live = { message: { ...update.message, call: { id: 'c1', status: 'ongoing' } } }
    expect(fold(live).changes).toMatchObject([{ status: 'ongoing', analysis: { summary: 'booked' } }])
  })

  test('does not count repetitions next to messages', () => {
    const said = report({ analysis, messages: [message('m1', 'hello')] })
    expect(fold(said, said)).toMatchObject({ repeats: 1 })
  })

  test('shows values that are not objects under their own name', () => {
    expect(fold(report({ analysis: 'good' })).changes).toMatchObject([{ analysis: { analysis: 'good' } }])
  })
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
  { type: 'speech-update', call: { id: 'c1' } },
  { type: 'speech-update', call: { id: 'c1', status: 'ongoing' } },
  { type: 'status-update', call: { id: 'c1' } },
])('an event that was not read is shown whole each time: %j', message => {
  const { changes, repeats } = fold({ message }, { message })
  expect(changes).toMatchObject([
    { kind: 'event', event: { message } },
    { kind: 'event', event: { message } },
  ])
  expect(repeats).toBe(0)
})

describe('memory', () => {
  const bytesOf = (...events: readonly Body[]) => fold(...events).conversation.bytes - newConversation.bytes
  const said = (...messages: unknown[]) => conversationUpdate('c1', ...messages)

  test('is estimated from ids and texts, two bytes a character', () => {
    const one = bytesOf(said(message('m1', '')))
    expect(one).toBeGreaterThan(100)
    expect(bytesOf(said(message('m1', 'x'.repeat(50))))).toBe(one + 100)
    expect(bytesOf(said(message('m1'.repeat(5), '')))).toBe(one + 16)
    expect(bytesOf(said(message('m1', ''), message('m2', '')))).toBe(2 * one)
    expect(bytesOf(said(message('m1', '')), said(message('m1', ''), message('m2', '')))).toBe(2 * one)
  })

  test('counts events without an id, odd ones, and statuses', () => {
    const one = bytesOf(said(7))
    expect(one).toBeGreaterThan(100)
    expect(bytesOf(said(7, 7, { role: 'user', text: 'yes' }))).toBe(3 * one)
    expect(bytesOf(statusUpdate('c1', 'queued'))).toBe(2 * one)
    expect(bytesOf(statusUpdate('c1', 'queued'), statusUpdate('c1', 'ongoing'))).toBe(4 * one)
    expect(bytesOf(report({ analysis: 'good', customer: [] }))).toBe(4 * one)
  })

  test('grows with each text that a message had at one size, and shrinks when the call grows', () => {
    const versions = ['a', 'b', 'c'].map(text => said(message('m1', text)))
    const [first, second, third] = versions.map((_, index) => bytesOf(...versions.slice(0, index + 1)))
    expect(second).toBe((first ?? 0) + 40)
    expect(third).toBe((first ?? 0) + 80)
    const grown = [message('m1', 'd'), message('m2', 'e')]
    expect(bytesOf(...versions, said(...grown))).toBe(2 * (first ?? 0) + 40)
  })

  test('of an ended call has no ids and texts, and repeats nothing', () => {
    const events = [
      said(message('m1', 'long '.repeat(100)), 7),
      said(message('m1', 'longer '.repeat(100)), 7),
      statusUpdate('c1', 'finished'),
    ]
    const { conversation } = fold(...events)
    const compact = compactConversation(conversation)
    const short = fold(
      said(message('m1', 'a'), 7),
      said(message('m1', 'b'), 7),
      statusUpdate('c1', 'finished'),
    )
    expect(compact.bytes).toBe(short.conversation.bytes - 2 * 'm1b'.length)
    expect(compactConversation(compact)).toBe(compact)
    expect(compact.places).toEqual([])
    expect(JSON.stringify([...compact.messages])).not.toMatch(/m1|long/)
    for (const event of events)
      expect(advance(compact, event)).toMatchObject({ changes: [], conversation: { bytes: compact.bytes } })
    const late = advance(compact, said(message('m1', 'last'), 7)).conversation
    expect(late.bytes).toBe(compact.bytes + 40)
    expect(late.places).toEqual([])
  })

  test('is not taken again by a repeat: the state stays the same', () => {
    const events = [said(message('m1', 'a'), 7), statusUpdate('c1', 'queued')]
    const { conversation } = fold(...events)
    for (const event of events) expect(advance(conversation, event).conversation).toBe(conversation)
  })

  test('of a call beyond its limit is that of its last messages', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`)
    const messages = ids.map(id => message(id, 'hello'))
    const words = ids.map(id => ({ role: 'user', text: `without id: ${id}` }))
    const { conversation } = fold(said(...messages, ...words), statusUpdate('c1', 'queued'))
    const compact = compactConversation(conversation)
    const bound = newConversation.bytes + 2400
    const kept = forgetOldest(compact, bound)
    expect(kept.bytes).toBe(bound)
    const news = (items: readonly unknown[]) =>
      items.filter(item => advance(kept, said(item)).changes.length > 0).length
    expect([news(messages.slice(0, 40)), news(messages.slice(40))]).toEqual([40, 0])
    expect([news(words.slice(0, 40)), news(words.slice(40))]).toEqual([40, 0])
    for (const none of [bound - 2400, 0]) {
      const nothing = forgetOldest(compact, none)
      expect(nothing).toMatchObject({
        bytes: newConversation.bytes,
        messages: new Map(),
        anonymous: new Set(),
      })
    }
    expect(advance(kept, statusUpdate('c1', 'queued')).changes).toHaveLength(1)
  })
})

test.each([
  [undefined, { message: { type: 'speech-update', call: { id: 'c1' }, extra: [1] } }],
  ['messages is missing', { message: { type: 'conversation-update', call: { id: 'c1' } } }],
  ['call.status is missing', { message: { type: 'status-update', call: { id: 'c1' } } }],
])('passes on an unreadable event completely and reports what is odd: %s', (odd, event) => {
  const { type } = event.message
  const told = odd === undefined ? {} : { odd: [odd] }
  expect(fold(event).changes).toEqual([{ kind: 'event', type, callId: 'c1', ...told, event }])
})

describe('checks only the new messages of a snapshot that continues the previous one', () => {
  const [hi, yes] = [message('m1', 'hi'), { role: 'user', text: 'yes' }]
  const [one, two, three] = [{}, {}, {}]
  const read = (event: Body, growth: NonNullable<ReadEvent['growth']>) => ({ ...readEvent(event), growth })
  const textsOf = (events: readonly ReadEvent[]) => {
    let conversation = newConversation
    return events.map(event => {
      const { changes, ...step } = advanceRead(conversation, event)
      conversation = step.conversation
      return changes.map(textOf)
    })
  }

  test('if all known messages are in place', () => {
    // Its first message is said to be known, so another text of it is not seen.
    const [first, next] = [
      read(conversationUpdate('c1', hi), { token: one, before: undefined, unchanged: 0 }),
      read(conversationUpdate('c1', message('m1', 'hello'), message('m2', 'bye')), {
        token: two,
        before: one,
        unchanged: 1,
      }),
    ]
    expect(textsOf([first, next])).toEqual([['hi'], ['bye']])
  })

  test('but not after an older one, whose edits were left out', () => {
    const [edited, other] = [message('m1', 'hello'), message('m2', 'bye')]
    const older = { token: one, before: undefined, unchanged: 0 }
    const events = [
      readEvent(conversationUpdate('c1', hi, message('m3', 'so'), message('m4', 'long'))),
      read(conversationUpdate('c1', edited, other), older),
      read(conversationUpdate('c1', edited, other, message('m3', 'so'), message('m4', 'long')), {
        token: two,
        before: one,
        unchanged: 2,
      }),
    ]
    expect(textsOf(events)).toEqual([['hi', 'so', 'long'], ['bye'], ['hello']])
  })

  test('but not after one with items without ids, which are counted', () => {
    const events = [
      read(conversationUpdate('c1', yes), { token: one, before: undefined, unchanged: 0 }),
      read(conversationUpdate('c1', yes, yes), { token: two, before: one, unchanged: 1 }),
      read(conversationUpdate('c1', yes, yes, yes), { token: three, before: two, unchanged: 2 }),
    ]
    expect(textsOf(events)).toEqual([['yes'], ['yes'], ['yes']])
  })
})

test('does not change its input state', () => {
  const before = fold(conversationUpdate('c1', message('m1', 'a'))).conversation
  const copy = structuredClone(before)
  advance(before, conversationUpdate('c1', message('m1', 'b'), message('m2', 'x'), 7))
  advance(before, statusUpdate('c1', 'finished'))
  expect(before).toEqual(copy)
})

type Body = Readonly<Record<string, unknown>>

function advance(conversation: Conversation, event: Body) {
  return advanceRead(conversation, readEvent(event))
}

/** The last event of a call, with what it carries. */
function report(fields: Body): Body {
  return { message: { type: 'end-of-call-report', call: { id: 'c1' }, ...fields } }
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

function textOf(change: Change): unknown {
  return 'text' in change ? change.text : undefined
}
