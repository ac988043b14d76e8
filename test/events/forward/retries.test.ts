import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import { patientClock } from '../../helpers/patient-clock.ts'
import { type Answer, ok, startTarget } from '../../helpers/target-server.ts'
import { awhile, eventOf, forward, numbers, numbersOf, startForwarding, to, until } from './forwarding.ts'

test.each([500, 503, 599, 408, 429, undefined])(
  'retries a target that responds with %s once, or not at all, and reports it',
  async status => {
    const target = await startTarget(
      once(response =>
        status === undefined ? response.socket?.resetAndDestroy() : response.writeHead(status).end('later'),
      ),
    )
    const { forwarder, news, clock, close, folder } = await startForwarding({
      targets: [to(target.url)],
      retries: 2,
    })
    forward(forwarder, eventOf('c7', 0))
    await until(() => forwarder.left === 0, clock.pass)
    const outcome = status === undefined ? { reason: 'the connection was reset' } : { status, body: 'later' }
    expect(news).toMatchObject([
      { kind: 'forward-retried', target: target.url, callId: 'c7', again: 500, ...outcome },
    ])
    expect(numbersOf(target.arrivals)).toEqual([0, 0])
    expect((await close())?.targets).toMatchObject([{ delivered: 1, failed: 0, undelivered: 0 }])
    expect(await readdir(folder)).toEqual([])
  },
)

test('shows the delivery of each event', async () => {
  const target = await startTarget(once(response => response.writeHead(503).end()))
  const { forwarder, clock } = await startForwarding({
    targets: [to(target.url), to(target.url, 'conversation-update')],
    retries: 2,
    onlyNew: true,
  })
  const told: unknown[][] = []
  const onDelivery = (...news: unknown[]) => void told.push(news)
  forward(forwarder, eventOf('c7', 0), { onDelivery })
  await until(() => forwarder.left === 0, clock.pass)
  const sent = { state: 'sent', milliseconds: expect.any(Number) }
  expect(told.splice(0)).toEqual([
    [0, { state: 'waiting' }],
    [0, { ...sent, status: 503, attempt: 1, again: true }],
    [0, { ...sent, status: 200, attempt: 2, again: false }],
  ])
  forward(forwarder, eventOf('c7', 1, { type: 'conversation-update' }), { onDelivery, isNew: false })
  expect(told).toEqual([
    [0, { state: 'skipped' }],
    [1, { state: 'skipped' }],
  ])
})

test('reports why an event waits, and that one has no space', async () => {
  const { forwarder } = await startForwarding({
    targets: [to('http://127.0.0.1:1/')],
    maxWaiting: 2000,
  })
  const told: unknown[][] = []
  const onDelivery = (...news: unknown[]) => void told.push(news)
  forward(forwarder, eventOf('c7', 0), { onDelivery })
  await until(() => told.length > 1)
  forward(forwarder, eventOf('c7', 1, { padding: 'x'.repeat(2000) }), { onDelivery })
  expect(told[0]).toEqual([0, { state: 'waiting' }])
  expect(told[1]).toEqual([0, { state: 'waiting', reason: expect.any(String) }])
  expect(told.at(-1)).toEqual([0, { state: 'dropped' }])
})

test.each([301, 307, 400, 401, 404, 413, 499])(
  'a response of %i is final, because the same event would get it again',
  async status => {
    const target = await startTarget(response => response.writeHead(status).end())
    const { forwarder, news } = await startForwarding({ targets: [to(target.url)], retries: 3 })
    forward(forwarder, eventOf('c', 0))
    await until(() => forwarder.left === 0)
    expect(news).toMatchObject([{ kind: 'forward-failed', status }])
    expect(target.arrivals).toHaveLength(1)
  },
)

test('the pauses grow to five seconds; the last failure is one, and the next event has all its retries', async () => {
  const target = await startTarget(response => response.writeHead(500).end())
  const { forwarder, told, clock, close } = await startForwarding({ targets: [to(target.url)], retries: 7 })
  forward(forwarder, eventOf('c', 0))
  forward(forwarder, eventOf('c', 1))
  await until(() => forwarder.left === 0, clock.pass)
  const pauses = [500, 1000, 2000, 4000, 5000, 5000, 5000]
  expect(told('forward-retried').map(({ again }) => again)).toEqual([...pauses, ...pauses])
  expect(clock.slept).toEqual([...pauses, ...pauses])
  expect(told('forward-failed')).toHaveLength(2)
  expect(numbersOf(target.arrivals)).toEqual([...numbers(8).map(() => 0), ...numbers(8).map(() => 1)])
  expect((await close())?.targets).toMatchObject([{ delivered: 0, failed: 2 }])
})

test('an event that waits for a retry delays those of its call, but not other calls', async () => {
  const target = await startTarget(once(response => response.writeHead(503).end()))
  const { forwarder, told, clock } = await startForwarding({ targets: [to(target.url)], retries: 1 })
  for (const number of numbers(2)) forward(forwarder, eventOf('c', number))
  await until(() => told('forward-retried').length === 1)
  for (const number of numbers(2, 2)) forward(forwarder, eventOf('d', number))
  await until(() => forwarder.left === 2)
  await awhile()
  expect(numbersOf(target.arrivals)).toEqual([0, 2, 3])
  await until(() => forwarder.left === 0, clock.pass)
  expect(numbersOf(target.arrivals)).toEqual([0, 2, 3, 0, 1])
})

test('a refused connection uses no retry', async () => {
  const target = await startTarget(response => response.writeHead(500).end())
  const { forwarder, told, clock, close } = await startForwarding({ targets: [to(target.url)], retries: 1 })
  forward(forwarder, eventOf('c', 0))
  await until(() => told('forward-retried').length === 1)
  await target.stop()
  await until(() => clock.slept.length >= 4, clock.pass)
  expect(told('forward-failed')).toEqual([])
  target.answer = ok
  await target.start()
  await until(() => forwarder.left === 0, clock.pass)
  expect(told('forward-retried')).toHaveLength(1)
  expect((await close())?.targets).toMatchObject([{ delivered: 1, failed: 0 }])
})

test('an event that waits for its next try at the end is undelivered, and kept for the one that resumes', async () => {
  const target = await startTarget(response => response.writeHead(500).end())
  const patient = patientClock()
  // Time for the end is up at once, a pause never.
  const clock: Clock = {
    now: () => 0,
    sleep: async (milliseconds, signal) => {
      if (milliseconds > 0) await patient.sleep(milliseconds, signal)
    },
  }
  const first = await startForwarding({ targets: [to(target.url)], retries: 5, clock })
  for (const number of numbers(2)) forward(first.forwarder, eventOf('c', number))
  await until(() => first.told('forward-retried').length === 1)
  expect((await first.forwarder.close(0)).targets).toMatchObject([
    { delivered: 0, failed: 0, undelivered: 2, lost: 0 },
  ])
  expect(first.news.map(({ kind }) => kind)).toEqual(['forward-retried'])
  target.answer = ok
  const { folder } = first
  const second = await startForwarding({ targets: [to(target.url)], folder, resume: true })
  expect(second.told('forward-left')).toMatchObject([{ events: 2, resumed: true }])
  await until(() => second.forwarder.left === 0)
  expect(numbersOf(target.arrivals)).toEqual([0, 0, 1])
})

/** Responds with an error once, and successfully from then on. */
function once(bad: Answer): Answer {
  let isFirst = true
  return (response, arrival) => {
    const answer = isFirst ? bad : ok
    isFirst = false
    answer(response, arrival)
  }
}
