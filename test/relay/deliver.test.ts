import { expect, test } from 'vitest'
import { createDeliverer } from '../../src/relay/deliver.ts'
import { createHeldPartitions } from '../../src/relay/held-partitions.ts'
import type { StreamMessage } from '../../src/relay/stream-message.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { memoryBucket } from './memory-bucket.ts'

/** A tail that has claimed a partition, of whose events others have handled those before a sequence. */
async function claim(next: number) {
  const clock = manualClock()
  const held = createHeldPartitions({ name: 'ada', member: 'm1' })
  await held.claim(memoryBucket(), 'p00', {
    ...{ position: { start: 1, next, done: [] }, readFrom: 1, stream: 'created', revision: 0 },
  })
  const seen: string[] = []
  const note = (verb: string) => (delivery: { readonly body: Buffer }) =>
    void seen.push(`${verb} ${delivery.body}`)
  const connect = (signal: AbortSignal, isSaved = () => true) =>
    createDeliverer({
      ...{ heldPartitions: held, clock, signal, isValid: () => true, isSaved },
      sink: {
        accept: delivery => ({ kind: 'accepted', show: () => note('take')(delivery) }),
        remember: note('remember'),
        forget: note('forget'),
        onEvent() {},
        onRefused() {},
        onFailed() {},
      },
    })
  return { clock, seen, connect }
}

function messageOf(sequence: number, call: string, text: string): StreamMessage {
  const delivery = { body: Buffer.from(text), headers: {}, at: '2026-01-02T03:04:05.678Z' }
  return { sequence, subject: `calls.p00.-.${call}`, partition: 'p00', delivery }
}

test('new events do not wait until the earlier events of other calls are remembered', async () => {
  const { clock, seen, connect } = await claim(5)
  const deliver = connect(new AbortController().signal)
  for (const sequence of [1, 2]) await deliver(messageOf(sequence, 'a', `a${sequence}`))
  for (const sequence of [3, 4]) await deliver(messageOf(sequence, 'b', `b${sequence}`))
  await deliver(messageOf(5, 'b', 'b5'))
  // The first call is remembered at once: nothing else was to be done.
  expect(seen).toEqual(['remember a1', 'remember b3', 'remember b4', 'take b5'])
  await deliver(messageOf(6, 'a', 'a6'))
  expect(seen.slice(4)).toEqual(['remember a2', 'take a6'])
  await clock.advance(1000)
  expect(seen).toHaveLength(6)
})

test('calls without new events are remembered when there is time, over another connection too', async () => {
  const { clock, seen, connect } = await claim(4)
  const lost = new AbortController()
  const deliver = connect(lost.signal)
  for (const sequence of [1, 2, 3]) await deliver(messageOf(sequence, `c${sequence}`, `c${sequence}`))
  lost.abort()
  await clock.advance(1000)
  expect(seen).toEqual(['remember c1'])
  connect(new AbortController().signal)
  await clock.advance(1000)
  expect(seen).toEqual(['remember c1', 'remember c2', 'remember c3'])
})

test('remembers the oldest calls at once when their events take too much memory', async () => {
  const { seen, connect } = await claim(100)
  const deliver = connect(new AbortController().signal)
  const large = 'x'.repeat(1024 ** 2)
  for (const sequence of [1, 2, 3, 4]) await deliver(messageOf(sequence, `c${sequence}`, large))
  expect(seen).toHaveLength(2)
})

test('takes nothing while positions cannot be saved', async () => {
  const { clock, seen, connect } = await claim(1)
  let isSaved = false
  const deliver = connect(new AbortController().signal, () => isSaved)
  const delivered = deliver(messageOf(1, 'a', 'a1'))
  await clock.advance(5000)
  expect(seen).toEqual([])
  isSaved = true
  await clock.advance(100)
  await delivered
  expect(seen).toEqual(['take a1'])
})
