import { expect, test } from 'vitest'
import { countConversationEvents, createConversationTracker } from '../../../src/events/conversation/index.ts'
import { conversationUpdate, message, readEvent, statusUpdate } from '../../helpers/events.ts'

type Body = Readonly<Record<string, unknown>>

function take(...bodies: readonly Body[]) {
  const counter = createConversationTracker()
  const taken = bodies.map(body => counter.apply(readEvent(body)))
  return { taken, counts: counter.counts(), counter }
}

const none = { calls: 0, finished: 0, events: 0, messages: 0, edits: 0, repeats: 0, late: 0 }

test('counts calls, their ends, events, messages, edits, repeats and late statuses', () => {
  const { counts, counter } = take(
    conversationUpdate('c1', message('m1', 'helo')),
    conversationUpdate('c1', message('m1', 'hello'), message('m2', 'hi')),
    conversationUpdate('c1', message('m1', 'hello'), message('m2', 'hi')),
    conversationUpdate('c2', message('m1', 'hello')),
    statusUpdate('c1', 'finished'),
    statusUpdate('c1', 'finished'),
    statusUpdate('c1', 'ongoing'),
  )
  expect(counts).toEqual({ calls: 2, finished: 1, events: 7, messages: 3, edits: 1, repeats: 3, late: 1 })
  counter.apply(readEvent(statusUpdate('c3', 'queued')))
  expect(counts.events).toBe(7)
  expect(createConversationTracker().counts()).toEqual(none)
})

test('an event of no call counts as an event, not as a call', () => {
  const { counts, taken } = take({ message: { type: 'speech-update' } })
  expect(counts).toEqual({ ...none, events: 1 })
  expect(taken[0]).toMatchObject({
    key: 0,
    origin: { callId: null },
    ended: false,
    endsCall: false,
    doubt: false,
  })
})

test('returns for each event whether it ends its call and whether it was late; an end is news once', () => {
  const { taken } = take(
    statusUpdate('c1', 'ongoing'),
    statusUpdate('c1', 'finished'),
    statusUpdate('c1', 'ongoing'),
  )
  expect(taken.map(({ key, ended, endsCall, late }) => ({ key, ended, endsCall, late }))).toEqual([
    { key: 'c1', ended: false, endsCall: false, late: false },
    { key: 'c1', ended: true, endsCall: true, late: false },
    { key: 'c1', ended: true, endsCall: false, late: true },
  ])
  expect(taken.map(countConversationEvents)).toEqual([
    [{ kind: 'status', callId: 'c1', status: 'ongoing' }],
    [
      { kind: 'status', callId: 'c1', status: 'finished', ended: true },
      { kind: 'ended', callId: 'c1', type: 'status-update' },
    ],
    [],
  ])
})

test('reports a doubt about unnamed calls once, before the event’s content', () => {
  const hello = { messageId: 'assistant-1', role: 'assistant', text: 'Hello.' }
  const says = (text: string) => [hello, { messageId: 'user-1', role: 'user', text }]
  const updates = [says('How much is a tyre?'), says('When are you open?'), [hello], [hello]]
  const { taken, counts, counter } = take(
    ...updates.map(messages => conversationUpdate(undefined, ...messages)),
  )
  expect(taken.map(({ key }) => key).slice(0, 2)).toEqual([1, 2])
  expect(counts.calls).toBe(2)
  const news = taken.map(event => countConversationEvents(event).map(({ kind }) => kind))
  expect(news.flat().filter(kind => kind === 'doubt')).toHaveLength(1)
  expect(news.find(kinds => kinds.includes('doubt'))).toEqual(['doubt', 'message', 'message'])
  expect(counter.apply(readEvent(statusUpdate('c9', 'finished')))).toMatchObject({
    endsCall: true,
    ended: true,
  })
})

test('remembers events without counting them, and forgets a call, but no event without an id', () => {
  const { counter } = take()
  const [call, none] = [statusUpdate('c1', 'queued'), { message: { type: 'speech-update' } }].map(readEvent)
  if (call === undefined || none === undefined) throw new Error('two events')
  for (const event of [call, none]) expect(counter.remember(event)).toMatchObject({ event, isFirst: true })
  expect(counter.counts()).toMatchObject({ calls: 0, events: 0 })
  expect(counter.assign(call)).toMatchObject({ origin: { callId: 'c1' } })
  for (const event of [call, none]) expect(counter.apply(event).isFirst).toBe(false)
  for (const event of [call, none]) counter.forget(event)
  expect([call, none].map(event => counter.apply(event).isFirst)).toEqual([true, false])
  expect(counter.counts()).toMatchObject({ calls: 1, events: 4 })
})

test('keeps to the bounds that it was given', () => {
  const counter = createConversationTracker({ maxCalls: 1 })
  for (const id of ['c1', 'c2', 'c1']) counter.apply(readEvent(statusUpdate(id, 'queued')))
  // A call that was forgotten counts again.
  expect(counter.counts()).toMatchObject({ calls: 3, repeats: 0 })
})
