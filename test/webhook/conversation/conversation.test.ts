import { describe, expect, test } from 'vitest'
import type { WebhookEvent } from '../../../src/interface/webhook.ts'
import type { Change } from '../../../src/webhook/conversation/changes.ts'
import {
  applyEvent as advanceRead,
  compactConversation,
} from '../../../src/webhook/conversation/conversation.ts'
import { type Conversation, newConversation } from '../../../src/webhook/conversation/conversation-state.ts'
import { readEvent } from '../../../src/webhook/receive/read-event.ts'
import { conversationUpdate, message, statusUpdate } from '../events.ts'

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

  test('that are none are shown as they came, once', () => {
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

  test('nested without end are named instead of printed', () => {
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

  test('may return to an earlier text as the conversation grows', () => {
    const { changes } = fold(
      conversationUpdate('c1', message('m1', 'a')),
      conversationUpdate('c1', message('m1', 'b')),
      conversationUpdate('c1', message('m1', 'a'), message('m2', 'x')),
    )
    expect(changes.map(textOf)).toEqual(['a', 'b', 'a', 'x'])
  })

  test('of a finished call are shown without the text before', () => {
    const { conversation } = fold(
      conversationUpdate('c1', message('m1', 'a')),
      statusUpdate('c1', 'finished'),
    )
    const late = advance(compactConversation(conversation), conversationUpdate('c1', message('m1', 'b')))
    expect(late.changes).toEqual([{ kind: 'edit', callId: 'c1', ...message('m1', 'b'), before: undefined }])
    const repeated = advance(late.conversation, conversationUpdate('c1', message('m1', 'a')))
    expect(repeated).toMatchObject({ changes: [], repeats: 1 })
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

  test('show an analysis that comes after the end, and one inside the call', () => {
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

  test('tell a phone status of their own, and words that the interface does not list', () => {
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

test.each([
  [undefined, { message: { type: 'speech-update', call: { id: 'c1' }, extra: [1] } }],
  ['messages is missing', { message: { type: 'conversation-update', call: { id: 'c1' } } }],
  ['call.status is missing', { message: { type: 'status-update', call: { id: 'c1' } } }],
])('passes an event through whole that cannot be read, and says what is odd: %s', (odd, event) => {
  const { type } = event.message
  const told = odd === undefined ? {} : { odd: [odd] }
  expect(fold(event).changes).toEqual([{ kind: 'event', type, callId: 'c1', ...told, event }])
})

test('leaves the state it was given as it was', () => {
  const before = fold(conversationUpdate('c1', message('m1', 'a'))).conversation
  const copy = structuredClone(before)
  advance(before, conversationUpdate('c1', message('m1', 'b'), message('m2', 'x'), 7))
  advance(before, statusUpdate('c1', 'finished'))
  expect(before).toEqual(copy)
})

function advance(conversation: Conversation, event: WebhookEvent) {
  return advanceRead(conversation, readEvent(event))
}

function fold(...events: WebhookEvent[]) {
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
