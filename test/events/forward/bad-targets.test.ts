import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Answer, holding, ok, startTarget } from '../../helpers/target-server.ts'
import {
  awhile,
  eventOf,
  forward,
  idOf,
  numbers,
  numbersOf,
  startForwarding,
  to,
  until,
} from './forwarding.ts'

const failures = {
  resets: [response => response.socket?.resetAndDestroy(), { reason: 'the connection was reset' }],
  'closes without an answer': [
    response => response.socket?.destroy(),
    { reason: 'the connection was closed before the response was complete' },
  ],
  'closes in the middle of its answer': [
    response => {
      response.writeHead(200, { 'content-length': '9' })
      response.write('x', () => response.socket?.destroy())
    },
    { reason: 'the connection was closed before the response was complete' },
  ],
  'answers 500': [
    response => response.writeHead(500).end('ü'.repeat(400)),
    { status: 500, body: 'ü'.repeat(400) },
  ],
  'answers 404 without a body': [response => response.writeHead(404).end(), { status: 404 }],
  'answers 500 without end': [
    response => {
      response.writeHead(500)
      const more = () => response.destroyed || response.write('x'.repeat(65_536), more)
      more()
    },
    { status: 500, body: 'x'.repeat(500) },
  ],
  'does not speak HTTP': [
    response => response.socket?.end('220 mail.example.com ready\r\n'),
    { reason: 'the response is not HTTP' },
  ],
} satisfies Record<string, [Answer, object]>

const hanging: Readonly<Record<string, Answer>> = {
  hangs: () => undefined,
  'hangs in the middle of its answer': response =>
    response.writeHead(200, { 'content-length': '9' }).write('x'),
}

// A target that answers after all may be late on a busy machine, so neither event is answered.
test.each(Object.entries(hanging))(
  'reports a target that %s, and continues with the next event',
  async (_, bad) => {
    const target = await startTarget(bad)
    const { forwarder, news, close } = await startForwarding({ targets: [to(target.url)], timeout: 500 })
    for (const number of numbers(2)) forward(forwarder, eventOf('c7', number))
    await until(() => forwarder.left === 0)
    const failed = { kind: 'forward-failed', callId: 'c7', reason: 'no response within 0.5 s' }
    expect(news).toMatchObject([failed, failed])
    expect((await close())?.targets).toMatchObject([{ delivered: 0, failed: 2, undelivered: 0 }])
  },
)

test.each(Object.entries(failures))(
  'reports a target that %s once, and continues with the next event',
  async (_, [bad, told]) => {
    const target = await startTarget(bad)
    const { forwarder, news, close, folder } = await startForwarding({ targets: [to(target.url)] })
    forward(forwarder, eventOf('c7', 0))
    await until(() => forwarder.left === 0)
    target.answer = ok
    forward(forwarder, eventOf('c7', 1))
    await until(() => forwarder.left === 0)
    expect(news).toEqual([
      {
        kind: 'forward-failed',
        target: target.url,
        callId: 'c7',
        type: 'status-update',
        at: expect.any(String),
        milliseconds: expect.any(Number),
        ...told,
      },
    ])
    expect(numbersOf(target.arrivals)).toEqual([0, 1])
    expect((await close())?.targets).toMatchObject([{ delivered: 1, failed: 1, undelivered: 0 }])
    expect(await readdir(folder)).toEqual([])
  },
)

test('accepts a 200 response larger than the read limit', async () => {
  const target = await startTarget(response => response.end('x'.repeat(5_000_000)))
  const { forwarder, news, close } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(3)) forward(forwarder, eventOf('c', number))
  await until(() => forwarder.left === 0)
  expect(news).toEqual([])
  expect((await close())?.targets).toMatchObject([{ delivered: 3 }])
})

test('a target that rejects and then listens again gets everything once, in order, with one report', async () => {
  const target = await startTarget()
  await target.stop()
  const { forwarder, news, clock } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(200)) forward(forwarder, eventOf(`c${number % 100}`, number))
  await until(
    () => clock.slept.length > 6,
    () => clock.pass(),
  )
  expect(clock.slept.slice(0, 7)).toEqual([250, 500, 1000, 2000, 5000, 5000, 5000])
  expect(news).toEqual([{ kind: 'forward-down', target: target.url }])
  await target.start()
  await until(
    () => forwarder.left === 0,
    () => clock.pass(),
  )
  expect(news).toEqual([
    { kind: 'forward-down', target: target.url },
    { kind: 'forward-up', target: target.url, waiting: 200 },
  ])
  expect(numbersOf(target.arrivals).sort((one, other) => one - other)).toEqual(numbers(200))
  for (const call of numbers(100)) {
    const ofCall = target.arrivals.map(idOf).filter(({ callId }) => callId === `c${call}`)
    expect(ofCall.map(({ number }) => number)).toEqual([call, call + 100])
  }
})

test('while a target is down one connection at a time tries it', async () => {
  const target = await startTarget()
  await target.stop()
  const { forwarder, told, clock } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(64)) forward(forwarder, eventOf(`c${number}`, number))
  await until(() => told('forward-down').length === 1)
  const answer = holding()
  target.answer = answer
  await target.start()
  await until(() => answer.held === 1, clock.pass)
  for (const number of numbers(20, 100)) forward(forwarder, eventOf(`c${number}`, number))
  await awhile(clock.pass)
  expect(target.connections).toBe(1)
  answer.release()
  await until(
    () => forwarder.left === 0,
    () => answer.release(),
  )
  expect(new Set(numbersOf(target.arrivals)).size).toBe(84)
})

test('responses from before an outage do not mean that the target is up', async () => {
  const answer = holding()
  const target = await startTarget(answer)
  const { forwarder, news, clock } = await startForwarding({ targets: [to(target.url)] })
  for (const number of numbers(5)) forward(forwarder, eventOf(`c${number}`, number))
  await until(() => answer.held === 5)
  // Like a server that shuts down gracefully: accepts no connections, but responds to running requests.
  await target.stop('may finish')
  for (const number of numbers(5, 5)) forward(forwarder, eventOf(`c${number}`, number))
  await until(() => news.length === 1)
  for (const left of [9, 8, 7, 6, 5]) {
    answer.release(1)
    await until(() => forwarder.left === left)
  }
  expect(news).toEqual([{ kind: 'forward-down', target: target.url }])
  expect(clock.slept).toEqual([250])
  target.answer = ok
  await target.start()
  await until(() => forwarder.left === 0, clock.pass)
  expect(news.map(({ kind }) => kind)).toEqual(['forward-down', 'forward-up'])
  expect(numbersOf(target.arrivals).sort((one, other) => one - other)).toEqual(numbers(10))
})

test('localhost that refuses at each of its addresses is down, too', async () => {
  const target = await startTarget()
  await target.stop()
  const url = target.url.replace('127.0.0.1', 'localhost')
  const { forwarder, told, clock } = await startForwarding({ targets: [to(url)] })
  forward(forwarder, eventOf('c', 0))
  await until(() => told('forward-down').length === 1)
  await target.start()
  await until(() => forwarder.left === 0, clock.pass)
  expect(target.arrivals).toHaveLength(1)
})

test('a target that reads slowly what is large gets it whole', async () => {
  const body = Buffer.from(JSON.stringify(eventOf('c', 0, { padding: 'x'.repeat(3_000_000) })))
  let received = 0
  const server = createTcpServer((socket: Socket) => {
    const head = Buffer.from('\r\n\r\n')
    let all = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', chunk => {
      all = Buffer.concat([all, chunk])
      socket.pause()
      setImmediate(() => socket.resume())
      const start = all.indexOf(head)
      received = start < 0 ? 0 : all.length - start - head.length
      if (received === body.length) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { forwarder, news, close } = await startForwarding({
    targets: [to(`http://127.0.0.1:${address.port}/`)],
  })
  forward(forwarder, eventOf('c', 0), { body })
  await until(() => forwarder.left === 0)
  expect(news).toEqual([])
  expect(received).toBe(body.length)
  expect((await close())?.targets).toMatchObject([{ delivered: 1 }])
})
