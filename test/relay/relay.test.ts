import { describe, expect, test } from 'vitest'
import { partitionOf } from '../../src/relay/subjects.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { readStream, startNatsServer } from '../helpers/nats-server.ts'
import { callEvent, startTestRelay } from './start-test-relay.ts'

/** Publishes an event of call `a`, and kills the broker. */
async function publishOnce() {
  const broker = await startNatsServer()
  const folder = await temporaryFolder()
  const relay = await startTestRelay([broker.url], { folder })
  await relay.send(callEvent('a'))
  await relay.finish()
  await broker.kill()
  return { broker, folder }
}

/** Returns the ids of the calls in the stream, in its order. */
async function callsIn({ url }: { readonly url: string }) {
  return (await readStream(url, 'calls')).map(({ subject }) => subject.split('.')[3])
}

describe('a relay with one broker', { tags: 'nats-server' }, () => {
  test('creates the stream and publishes each event unmodified, with the facts of its request', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    const body = `{ "message": ${JSON.stringify(callEvent('c.1').message)} }`
    const headers = { 'content-type': 'application/json', authorization: 'Bearer s3cret', 'x-trace': 'a b' }
    expect(await relay.send(body, headers)).toBe(200)
    expect(await relay.finish()).toEqual({
      ...{ kind: 'summary', received: 1, rejected: 0, published: 1, duplicates: 0, unpublished: 0 },
    })
    expect(relay.seen.map(({ kind }) => kind)).toEqual(['stream', 'ready', 'connected', 'summary'])
    const [message, ...more] = await readStream(broker.url, 'calls')
    expect(more).toEqual([])
    expect(message).toMatchObject({ subject: `calls.${partitionOf('c.1')}.team-1.c=2E1`, body })
    expect(message?.headers).toMatchObject({ 'Content-Type': 'application/json' })
    const request = JSON.parse(message?.headers['Callyard-Request'] ?? '')
    expect(request).toMatchObject({ authorization: '****', 'x-trace': 'a b' })
  })

  test('publishes an array once per call, with the positions of the events', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    await relay.send([callEvent('a'), callEvent('b'), callEvent('a', 1)])
    await relay.send([callEvent('c'), callEvent('c', 1)])
    await relay.finish()
    const messages = await readStream(broker.url, 'calls')
    const shown = messages.map(({ subject, headers }) => [subject.split('.')[3], headers['Callyard-Events']])
    expect(shown.sort()).toEqual([
      ['a', '0,2'],
      ['b', '1'],
      ['c', undefined],
    ])
  })

  test('repeated events are acknowledged and stored once', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    for (const number of [0, 1, 0]) expect(await relay.send(callEvent('a', number))).toBe(200)
    expect(await relay.finish()).toMatchObject({ received: 3, published: 3, duplicates: 1 })
    expect(await readStream(broker.url, 'calls')).toHaveLength(2)
  })

  test('events are accepted while the broker is away, and are in the stream once in order when it is back', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    const numbers = Array.from({ length: 40 }, (_, number) => number)
    for (const number of numbers.slice(0, 20)) await relay.send(callEvent(`c${number % 3}`, number))
    while (!(await relay.get('/metrics')).text.includes('callyard_relay_spool_unpublished 0\n'));
    await broker.kill()
    expect(await relay.event('disconnected')).toMatchObject({ reason: expect.any(String) })
    expect(await relay.get('/readyz')).toMatchObject({ status: 503 })
    expect(await relay.get('/healthz')).toMatchObject({ status: 200 })
    for (const number of numbers.slice(20))
      expect(await relay.send(callEvent(`c${number % 3}`, number))).toBe(200)
    await broker.restart()
    await relay.event('connected', 2)
    expect(await relay.get('/readyz')).toEqual({ status: 200, text: 'ok\n' })
    // The stream still has the first 20, which are not published again.
    expect(await relay.finish()).toMatchObject({ received: 40, duplicates: 0, unpublished: 0 })
    const bodies = (await readStream(broker.url, 'calls')).map(({ body }) => JSON.parse(body).message)
    expect(bodies).toHaveLength(40)
    for (const call of ['c0', 'c1', 'c2']) {
      const ofCall = bodies.filter(message => message.call.id === call).map(({ number }) => number)
      expect(ofCall).toEqual(ofCall.toSorted((one: number, other: number) => one - other))
    }
  })

  test('a relay that has published before starts without the broker', async () => {
    const { broker, folder } = await publishOnce()
    const second = await startTestRelay([broker.url], { folder })
    expect(await second.send(callEvent('b'))).toBe(200)
    expect(await second.finish(0)).toMatchObject({ received: 1, unpublished: 1 })
    await broker.restart()
    const third = await startTestRelay([broker.url], { folder })
    expect(await third.finish()).toMatchObject({ received: 0, unpublished: 0 })
    expect(await callsIn(broker)).toEqual(['a', 'b'])
  })

  test('a relay that has published before starts while the broker refuses', async () => {
    const { broker, folder } = await publishOnce()
    const withoutJetStream = await startNatsServer('', broker.port)
    const second = await startTestRelay([broker.url], { folder })
    expect((await second.event('disconnected')).reason).toBe('JetStream is not enabled')
    expect(await second.send(callEvent('b'))).toBe(200)
    await withoutJetStream.kill()
    await broker.restart()
    await second.event('connected')
    expect(await second.finish()).toMatchObject({ received: 1, published: 1, unpublished: 0 })
    expect(await callsIn(broker)).toEqual(['a', 'b'])
  })

  test('metrics count what was received, rejected, published and repeated', async () => {
    const broker = await startNatsServer()
    const relay = await startTestRelay([broker.url])
    for (const body of [callEvent('a'), callEvent('a'), 'no json']) await relay.send(body)
    await relay.event('refused')
    await relay.event('connected')
    const { text } = await relay.get('/metrics')
    expect(text).toContain('callyard_relay_received_total 2')
    expect(text).toContain('callyard_relay_rejected_total{status="400"} 1')
    expect(text).toContain('callyard_relay_connected 1')
    expect(text).toContain('callyard_relay_spool_events 2')
    expect(text).toMatch(/callyard_relay_spool_backlog_seconds \d/)
    await relay.finish()
  })
})
