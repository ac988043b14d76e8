import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEvent } from '../../../src/events/conversation/conversation.ts'
import {
  createConversationCache,
  newConversation,
} from '../../../src/events/conversation/conversation-cache.ts'
import type { Change } from '../../../src/events/conversation/index.ts'
import { readEvent } from '../../../src/events/conversation/read/read-event.ts'
import { conversationUpdate, message, statusUpdate, type WebhookEvent } from '../../helpers/events.ts'
import { runs } from '../../helpers/every-case.ts'

test('forgets the least recently used call past the bound of calls', () => {
  const seen = createConversationCache({ maxCalls: 2, maxBytes: Infinity })
  const [a, b, c] = ['a', 'b', 'c'].map(callId => conversationUpdate(callId, message('m1', `in ${callId}`)))
  if (!a || !b || !c) throw new Error('three events')
  for (const event of [a, b, a, c]) follow(seen, event)
  expect(seen.calls).toBe(2)
  expect(follow(seen, a)).toEqual([])
  expect(follow(seen, b)).toHaveLength(1)
})

test('recognizes late repeats of a finished call by digests only', () => {
  const seen = createConversationCache()
  const snapshot = conversationUpdate(
    'c1',
    ...Array.from({ length: 50 }, (_, index) => message(`m${index}`, 'long '.repeat(100))),
  )
  follow(seen, snapshot)
  const live = seen.bytes
  follow(seen, statusUpdate('c1', 'finished'))
  expect(seen.bytes).toBeLessThan(live / 5)
  expect(follow(seen, snapshot)).toEqual([])
  expect(follow(seen, statusUpdate('c1', 'finished'))).toEqual([])
})

test('shrinks live calls before it forgets them, and stays below the bound of bytes', () => {
  const seen = createConversationCache({ maxBytes: 20_000 })
  const snapshot = (call: number) =>
    conversationUpdate(
      `c${call}`,
      ...Array.from({ length: 5 }, (_, index) => message(`m${index}`, 'word '.repeat(100))),
    )
  for (let call = 0; call < 8; call++) follow(seen, snapshot(call))
  for (let call = 0; call < 8; call++) expect(follow(seen, snapshot(call))).toEqual([])
  for (let call = 0; call < 500; call++) {
    follow(seen, snapshot(call))
    expect(seen.bytes).toBeLessThanOrEqual(20_000)
  }
  expect(follow(seen, snapshot(499))).toEqual([])
})

test('a single call larger than the bound forgets its first messages only', () => {
  const seen = createConversationCache({ maxBytes: 10_000 })
  for (let index = 0; index < 1000; index++)
    follow(seen, conversationUpdate('c1', message(`m${index}`, 'hello')))
  expect(seen.bytes).toBeLessThanOrEqual(10_000)
  for (let index = 980; index < 1000; index++)
    expect(follow(seen, conversationUpdate('c1', message(`m${index}`, 'hello')))).toEqual([])
  expect(follow(seen, conversationUpdate('c1', message('m0', 'hello')))).toHaveLength(1)
})

describe('bounds are used whole', () => {
  const first = conversationUpdate('c1', message('m1', 'one text'))
  const second = conversationUpdate('c2', message('m1', 'a text'))
  const sizeOf = (event: WebhookEvent) => {
    const seen = createConversationCache()
    follow(seen, event)
    return seen.bytes
  }
  const both = () => sizeOf(first) + sizeOf(second)
  const edited = conversationUpdate('c1', message('m1', 'other'))

  test('of bytes: live calls keep their texts up to it', () => {
    const seen = createConversationCache({ maxBytes: both() })
    for (const event of [first, second]) follow(seen, event)
    expect(seen.bytes).toBe(both())
    expect(follow(seen, edited)).toMatchObject([{ before: 'one text' }])
  })

  test('of bytes: one byte more drops the texts of the least recently used call only', () => {
    const seen = createConversationCache({ maxBytes: both() - 1 })
    for (const event of [first, second]) follow(seen, event)
    expect(seen.calls).toBe(2)
    expect(seen.bytes).toBe(both() - 2 * 'm1one text'.length)
    expect(['c1', 'c2'].map(callId => seen.get(callId)?.compact)).toEqual([true, false])
  })

  test('of bytes: finished calls are remembered up to it', () => {
    const events = ['c1', 'c2', 'c3'].map(callId => statusUpdate(callId, 'finished'))
    const bytes = events.slice(1).reduce((sum, event) => sum + sizeOf(event), 0)
    const seen = createConversationCache({ maxBytes: bytes })
    for (const event of events) follow(seen, event)
    expect(seen).toMatchObject({ calls: 2, bytes })
  })

  test('of calls', () => {
    const seen = createConversationCache({ maxCalls: 2 })
    for (const event of [first, second, first, second]) follow(seen, event)
    expect(seen.calls).toBe(2)
    expect(follow(seen, edited)).toMatchObject([{ before: 'one text' }])
  })

  test('of calls: one more keeps the texts of the others, which fill the memory exactly', () => {
    const events = [statusUpdate('over', 'finished'), first, second]
    const all = createConversationCache()
    for (const event of events) follow(all, event)
    const seen = createConversationCache({ maxCalls: 2, maxBytes: all.bytes })
    for (const event of events) follow(seen, event)
    expect(seen.get('over')).toBeUndefined()
    expect(['c1', 'c2'].map(callId => seen.get(callId)?.compact)).toEqual([false, false])
  })

  test('of memory has a default', () => {
    const seen = createConversationCache()
    const text = 'x'.repeat(1_000_000)
    for (const callId of ['c1', 'c2']) follow(seen, conversationUpdate(callId, message('m1', text)))
    expect(follow(seen, edited)).toMatchObject([{ before: text }])
    expect(seen.get('c3')).toBeUndefined()
  })
})

const calls = fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 })

/** Every snapshot of every call, and each call's end: the whole of what a service sends. */
function deliveries(conversations: readonly (readonly string[])[]): WebhookEvent[] {
  return conversations.flatMap((texts, call) => {
    const messages = texts.map((text, index) => message(`m${index}`, text))
    const snapshots = messages.map((_, index) =>
      conversationUpdate(`c${call}`, ...messages.slice(0, index + 1)),
    )
    return [...snapshots, statusUpdate(`c${call}`, 'finished')]
  })
}

const received = calls.chain(conversations => {
  const sent = deliveries(conversations)
  // Indices in any order, some again and again, some never: shuffle, repetition and loss.
  return fc
    .array(fc.nat(sent.length - 1), { maxLength: 4 * sent.length })
    .map(order => order.map(index => sent[index] ?? sent[0]))
})

test('any shuffle, repetition and loss of snapshots shows each message that arrived exactly once, in order of arrival', () => {
  fc.assert(
    fc.property(received, events => {
      const seen = createConversationCache()
      const arrived = new Set<string>()
      const shown: string[] = []
      for (const event of events) {
        if (event === undefined) continue
        const { callId } = readEvent(event)
        for (const { messageId } of (event.message.messages ?? []) as { messageId: string }[])
          arrived.add(`${callId}/${messageId}`)
        for (const change of follow(seen, event)) {
          expect(change.kind).not.toBe('edit')
          if (change.kind === 'message') shown.push(`${change.callId}/${change.messageId}`)
        }
      }
      expect(shown).toEqual([...arrived])
    }),
    { numRuns: runs(500) },
  )
})

test('texts that change from snapshot to snapshot end as in the largest one that arrived, and never flip for ever', () => {
  const versions = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 6,
  })
  const orders = fc.infiniteStream(fc.nat()).map(stream => stream)
  fc.assert(
    fc.property(versions, orders, (snapshots, order) => {
      const events = snapshots.map(texts =>
        conversationUpdate('c1', ...texts.map((text, index) => message(`m${index}`, text))),
      )
      const seen = createConversationCache()
      const current = new Map<unknown, string>()
      const play = (event: WebhookEvent | undefined) => {
        const changes = event === undefined ? [] : follow(seen, event)
        for (const change of changes) if ('text' in change) current.set(change.messageId, String(change.text))
        return changes.length
      }
      for (let turn = 0; turn < 60; turn++) play(events[(order.next().value ?? 0) % events.length])
      for (const event of events) play(event)
      // Everything has arrived at least once by now: nothing can be news any more.
      for (let turn = 0; turn < 60; turn++)
        expect(play(events[(order.next().value ?? 0) % events.length])).toBe(0)
      const longest = Math.max(...snapshots.map(({ length }) => length))
      const candidates = snapshots.filter(({ length }) => length === longest)
      for (const [index, id] of [...current.keys()].entries()) {
        expect(candidates.map(texts => texts[Number(String(id).slice(1))])).toContain(current.get(id))
        expect(index).toBeLessThan(longest)
      }
    }),
    { numRuns: runs(300) },
  )
})

function follow(seen: ReturnType<typeof createConversationCache>, event: WebhookEvent): readonly Change[] {
  const read = readEvent(event)
  const key = read.callId ?? 0
  const { conversation, changes } = applyEvent(seen.get(key) ?? newConversation, read)
  seen.put(key, conversation)
  return changes
}
