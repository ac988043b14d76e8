import { describe, expect, test } from 'vitest'
import type { ReceivedDelivery } from '../../src/events/conversation/index.ts'
import { createDeferred } from '../../src/lib/queue.ts'
import { addStream, deleteStream, purgeStream, startNatsServer } from '../helpers/nats-server.ts'
import { startBrokerWithRelay, startTestRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

/** Texts of a conversation, from the first to the last number. */
function texts(call: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${call} ${first + index}`)
}

describe('a tail of a relay', { tags: 'nats-server' }, () => {
  test('shows each message once, and continues where the name was, in the middle of a call', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const first = await startTestTail([broker.url])
    await relay.send(conversation('a', 2))
    await relay.send(conversation('a', 3))
    await first.until(() => first.texts().length === 3)
    expect(await first.finish()).toMatchObject({ kind: 'summary', calls: 1, messages: 3 })
    for (const count of [4, 5]) await relay.send(conversation('a', count))
    await relay.send(conversation('b', 1))
    const second = await startTestTail([broker.url])
    await second.until(() => second.texts().length === 3)
    expect(first.texts()).toEqual(texts('a', 1, 3))
    expect(second.texts('a')).toEqual(texts('a', 4, 5))
    expect(second.texts('b')).toEqual(texts('b', 1, 1))
    expect(second.seen.map(({ kind }) => kind)).not.toContain('gap')
  })

  test('every name gets every event, from its own start', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const ada = await startTestTail([broker.url])
    for (const call of ['a', 'b', 'c']) await relay.send(conversation(call, 1))
    await ada.until(() => ada.texts().length === 3)
    const grace = await startTestTail([broker.url], { name: 'grace', start: { kind: 'since', at: 0 } })
    await grace.until(() => grace.texts().length === 3)
    const alan = await startTestTail([broker.url], { name: 'alan' })
    await relay.send(conversation('d', 1))
    for (const each of [ada, grace]) await each.until(() => each.texts().length === 4)
    await alan.until(() => alan.texts().length === 1)
    expect(ada.texts()).toEqual(['a 1', 'b 1', 'c 1', 'd 1'])
    expect(grace.texts()).toEqual(ada.texts())
    expect(alan.texts()).toEqual(['d 1'])
  })

  test('an event is done when it was printed, and all of them are delivered again to the next tail otherwise', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const stuck = createDeferred()
    const first = await startTestTail([broker.url], {
      onEvent: event => (event.kind === 'message' && event.text === 'b 1' ? stuck.promise : undefined),
    })
    for (const call of ['a', 'b', 'c']) await relay.send(conversation(call, 1))
    await first.until(() => first.texts('a').length === 1)
    // Saves what is done, like a tail that is ended while it prints.
    await first.tail.source.finish()
    const second = await startTestTail([broker.url])
    await second.until(() => second.texts().length === 2)
    expect(second.texts()).toEqual(['b 1', 'c 1'])
    stuck.resolve()
  })

  test('events of an array are split by call, and read with the headers and time of their request', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const taken: ReceivedDelivery[] = []
    const recorder = {
      append(delivery: ReceivedDelivery) {
        taken.push(delivery)
        return true
      },
    }
    const tail = await startTestTail([broker.url], { parts: { recorder } })
    const events = [conversation('a', 1), conversation('b', 1), conversation('a', 2)]
    await relay.send(events, { 'content-type': 'application/json', 'x-trace': 'x' })
    await tail.until(() => tail.texts().length === 3)
    expect(tail.texts('a')).toEqual(['a 1', 'a 2'])
    const bodies = taken.map(({ body }) => JSON.parse(String(body)))
    expect(bodies).toContainEqual([events[0], events[2]])
    expect(bodies).toContainEqual(events[1])
    for (const { headers, at } of taken) {
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-trace': 'x' })
      expect(at).toMatch(/^\d{4}-/)
    }
  })

  test('events that the stream removed before they were read are reported as a gap', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const first = await startTestTail([broker.url])
    await relay.send(conversation('a', 1))
    await first.until(() => first.texts().length === 1)
    await first.finish()
    for (const count of [2, 3, 4]) await relay.send(conversation('a', count))
    await purgeStream(broker.url, 4)
    const second = await startTestTail([broker.url])
    await second.until(() => second.texts().length === 4)
    expect(second.seen.find(({ kind }) => kind === 'gap')).toEqual({
      ...{ kind: 'gap', from: 2, to: 3, partitions: 32 },
    })
    // The event with the messages that an earlier tail showed is gone too.
    expect(second.texts()).toEqual(texts('a', 1, 4))
  })

  test('a second tail with the name is a conflict; another name, or the same after a Ctrl-C, is not', async () => {
    const broker = await startNatsServer()
    await startTestRelay([broker.url])
    const first = await startTestTail([broker.url])
    await expect(startTestTail([broker.url])).rejects.toMatchObject({ code: 'name-in-use', kind: 'conflict' })
    await startTestTail([broker.url], { name: 'grace' })
    await first.finish()
    await startTestTail([broker.url])
  })

  test('without the stream of a relay, or with one of another shape, it is an error', async () => {
    const broker = await startNatsServer()
    const open = () => startTestTail([broker.url])
    await expect(open()).rejects.toMatchObject({ code: 'stream-missing', kind: 'refused' })
    await addStream(broker.url, { max_msgs_per_subject: 1 })
    await expect(open()).rejects.toMatchObject({ code: 'stream-shape', kind: 'conflict' })
    const plain = await startNatsServer('')
    await expect(startTestTail([plain.url])).rejects.toMatchObject({ code: 'no-jetstream', kind: 'refused' })
    await plain.kill()
    await expect(startTestTail([plain.url])).rejects.toMatchObject({
      code: 'nats-unreachable',
      kind: 'unreachable',
    })
  })

  test('continues after the broker was away, and begins again in a stream that was created again', async () => {
    const { broker, relay } = await startBrokerWithRelay()
    const tail = await startTestTail([broker.url])
    await relay.send(conversation('a', 1))
    await tail.until(() => tail.texts().length === 1)
    await broker.kill()
    await tail.until(() => tail.seen.some(({ kind }) => kind === 'disconnected'))
    await relay.send(conversation('a', 2))
    await broker.restart()
    await tail.until(() => tail.texts().length === 2)
    await deleteStream(broker.url)
    await relay.send(conversation('b', 1))
    await tail.until(() => tail.texts('b').length === 1)
    expect(tail.texts()).toEqual(['a 1', 'a 2', 'b 1'])
    expect(tail.seen.map(({ kind }) => kind)).toContain('stream-replaced')
  })
})
