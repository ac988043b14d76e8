import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createDeliveryReader,
  type ReceivedDelivery,
  type Rejection,
} from '../../../src/events/conversation/index.ts'
import { type EventSink, startReceiver } from '../../../src/events/receive/index.ts'
import { createDeferred, createQueue } from '../../../src/lib/queue.ts'
import { conversationUpdate, message } from '../../helpers/events.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { patientClock } from '../../helpers/patient-clock.ts'

type Taken = ReturnType<EventSink['accept']>

type ReceiverOptions = Parameters<typeof startReceiver>[0]

const event = conversationUpdate('c1', message('m1', 'Grüße 👋'))

test('responds with 200 and a message, and passes on the event with its bytes and headers', async () => {
  const { receiver, events, deliveries } = await start({ path: '/hook' })
  const answer = await fetch(`${receiver.address}?from=service`, {
    method: 'POST',
    body: JSON.stringify(event),
    headers: { 'x-id': '7' },
  })
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual({ message: 'accepted' })
  expect(events).toEqual([event])
  expect(deliveries[0]?.body.toString()).toBe(JSON.stringify(event))
  expect(deliveries[0]?.headers['x-id']).toBe('7')
})

test('responds only after an event is stored, also while it closes, and with 503 if that fails', async () => {
  const stored = [createDeferred(), createDeferred()]
  const taken = createQueue<ReceivedDelivery>()
  const shown: string[] = []
  let events = 0
  const receiver = await startReceiver(
    { host: '127.0.0.1', port: 0, path: '/', clock: patientClock() },
    {
      accept(delivery) {
        const durable = stored[events++]?.promise
        taken.push(delivery, 0)
        return {
          kind: 'accepted',
          ...(durable && { durable }),
          show: () => void shown.push(String(delivery.body)),
        }
      },
      onRefused: ({ status }) => void shown.push(String(status)),
    },
  )
  onTestFinished(() => receiver.close())
  const arrived = taken[Symbol.asyncIterator]()
  const failing = fetch(receiver.address, { method: 'POST', body: 'one' })
  await arrived.next()
  const accepted = fetch(receiver.address, { method: 'POST', body: 'two' })
  await arrived.next()
  expect(shown).toEqual([])
  stored[0]?.reject(new Error('disk full'))
  const refused = await failing
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  const closed = receiver.close()
  stored[1]?.resolve()
  expect((await accepted).status).toBe(200)
  await closed
  expect(shown).toEqual(['503', 'two'])
})

test.each([13, 700, 4096])('reads updates that grow, split into pieces of %i bytes', async length => {
  const { receiver, events, deliveries } = await start()
  const said = Array.from({ length: 60 }, (_, index) =>
    message(`m${index}`, `Grüße ${index} },{"messages":[ 👋`),
  )
  const updates = [50, 52, 53, 53, 60].map(count => conversationUpdate('c1', ...said.slice(0, count)))
  for (const update of updates) {
    const body = Buffer.from(JSON.stringify(update))
    const pieces = Array.from({ length: Math.ceil(body.length / length) }, (_, index) =>
      body.subarray(index * length, (index + 1) * length),
    )
    const answer = await fetch(receiver.address, {
      method: 'POST',
      body: ReadableStream.from(pieces),
      duplex: 'half',
    })
    expect(answer.status).toBe(200)
  }
  expect(events).toEqual(updates)
  expect(deliveries.map(({ body }) => body.toString())).toEqual(updates.map(update => JSON.stringify(update)))
})

describe('refuses with a message, and counts', () => {
  test.each([
    ['not JSON', {}, '{"message":', 400],
    ['an empty body', {}, '', 400],
    ['JSON of another shape', {}, '["text"]', 400],
    ['bytes that are no text', {}, Buffer.from('ff00ff00', 'hex'), 400],
    ['a page’s request', { origin: 'https://example.test' }, JSON.stringify(event), 403],
    ['an unknown host', { host: 'rebound.example.test' }, JSON.stringify(event), 403],
    ['an unknown content coding', { 'content-encoding': 'zstd' }, 'event', 415],
    ['a decompression bomb', { 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(2 * 1024 ** 2)), 413],
  ] as const)('%s', async (_, headers, body, status) => {
    const { receiver, events, refusals } = await start()
    const answer = await send(receiver.address, { headers: { ...headers }, body })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toEqual({ message: expect.any(String) })
    expect(events).toEqual([])
    expect(refusals.map(refusal => refusal.status)).toEqual([status])
  })

  test.each(['GET', 'PUT', 'OPTIONS', 'HEAD'])('the method %s, and says which is allowed', async method => {
    const { receiver, refusals } = await start()
    const answer = await send(receiver.address, { method })
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(refusals).toHaveLength(1)
  })

  test('other paths', async () => {
    const { receiver } = await start({ path: '/hook' })
    expect((await send(new URL('/', receiver.address).href, { body: JSON.stringify(event) })).status).toBe(
      404,
    )
    expect((await send(`${receiver.address}/more`, { body: JSON.stringify(event) })).status).toBe(404)
  })

  test('a missing or wrong header', async () => {
    const { receiver, events } = await start({ requireHeader: { name: 'X-Token', value: 's3cret' } })
    for (const headers of [{}, { 'x-token': 'S3cret' }, { 'x-token': 's3cret2' }, { 'x-token': '' }]) {
      expect((await send(receiver.address, { headers, body: JSON.stringify(event) })).status).toBe(401)
    }
    expect(
      (await send(receiver.address, { headers: { 'x-token': 's3cret' }, body: JSON.stringify(event) }))
        .status,
    ).toBe(200)
    expect(events).toHaveLength(1)
  })
})

test.each([
  'localhost',
  'LOCALHOST:1',
  '127.0.0.1:9',
  '[::1]:4011',
  'tunnel.example.test',
  'tunnel.example.test:443',
])('accepts requests addressed to %s', async host => {
  const { receiver } = await start({ allowHosts: ['Tunnel.example.test:8443'] })
  expect((await send(receiver.address, { headers: { host }, body: JSON.stringify(event) })).status).toBe(200)
})

describe('a body above the limit', () => {
  test('is rejected by its announced length before it is sent', async () => {
    const { receiver } = await start({ maxBodyBytes: 1000 })
    const answer = await exchange(
      receiver.port,
      'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\nexpect: 100-continue\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('is rejected while streaming, once the limit is exceeded', async () => {
    const { receiver, refusals, events } = await start({ maxBodyBytes: 1000 })
    const socket = connect(receiver.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n')
    socket.write(`401\r\n${'x'.repeat(1025)}\r\n`)
    // The body never ends, and the response arrives nevertheless.
    const [first] = await once<Buffer>(socket, 'data')
    expect(String(first)).toMatch(/^HTTP\/1\.1 413 /)
    expect(refusals).toHaveLength(1)
    socket.on('error', () => {})
    socket.write(`200000\r\n${'x'.repeat(0x200000)}\r\n`)
    await once(socket, 'close')
    expect(events).toEqual([])
  })

  test('of exactly the limit is accepted', async () => {
    const body = JSON.stringify(event)
    const { receiver } = await start({ maxBodyBytes: Buffer.byteLength(body) })
    expect((await send(receiver.address, { body })).status).toBe(200)
    expect((await send(receiver.address, { body: `${body} ` })).status).toBe(413)
  })
})

describe('bodies that never end', () => {
  test('together hold at most 64 MB: the largest gets 503, a normal event 200', async () => {
    const { receiver, refusals, events } = await start({ maxBodyBytes: 10 * 1024 ** 2 })
    const answers: string[] = []
    const dribblers = Array.from({ length: 8 }, () => {
      const socket = connect(receiver.port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => {}).on('data', chunk => answers.push(String(chunk)))
      socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10000000\r\n\r\n')
      socket.write(Buffer.alloc(9_000_000, 'x'))
      return once(socket, 'data')
    })
    await Promise.race(dribblers)
    expect((await send(receiver.address, { body: JSON.stringify(event) })).status).toBe(200)
    expect(events).toEqual([event])
    expect(answers).toEqual([expect.stringMatching(/^HTTP\/1\.1 503 .*retry-after: 1\r\n.*\{"message":/s)])
    expect(refusals.map(({ status }) => status)).toEqual([503])
  })

  test('get 408 if slower than 16 KB per second, and their connection ends', async () => {
    const clock = manualClock()
    const { receiver, refusals } = await start({ clock })
    const socket = connect(receiver.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{')
    await send(receiver.address, { body: JSON.stringify(event) })
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    const closed = once(socket, 'close')
    await clock.advance(9000)
    expect(answer).toBe('')
    await clock.advance(2000)
    await clock.advance(11_000)
    await closed
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*\{"message":"the body arrived too slowly"\}$/s)
    expect(refusals.map(({ status }) => status)).toEqual([408])
  })
})

test('accepts a large body from a sender that waits for 100 Continue', async () => {
  const { receiver, events } = await start()
  const body = JSON.stringify(event)
  const socket = connect(receiver.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Buffer.byteLength(body)}\r\nexpect: 100-continue\r\n\r\n`,
  )
  const [go] = await once<Buffer>(socket, 'data')
  expect(String(go)).toMatch(/^HTTP\/1\.1 100 /)
  socket.write(body)
  const [answer] = await once<Buffer>(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
  expect(events).toHaveLength(1)
})

test('counts bytes that are not HTTP and senders that hang up midway', async () => {
  const { receiver, refusals } = await start()
  expect(await exchange(receiver.port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 .*\{"message":/s)
  const refused = new Promise(resolve => refusals.listen(resolve))
  const socket = connect(receiver.port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{', () => socket.destroy())
  await refused
  expect(refusals.map(({ status }) => status)).toEqual([400, 400])
})

test('responds to pipelined requests in order, each once', async () => {
  const { receiver, events } = await start()
  const request = (body: string) =>
    `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const pipelined = [JSON.stringify(event), '{', '', JSON.stringify(event)].map(request).join('')
  const socket = connect(receiver.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answers = ''
  const last = new Promise<void>(resolve => {
    socket.on('data', chunk => {
      answers += chunk
      if (answers.match(/HTTP\/1\.1 \d/g)?.length === 5) resolve()
    })
  })
  const ended = 'POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'
  socket.write(`${pipelined}${ended}`)
  await once(socket, 'data')
  // The end of the last body comes alone.
  socket.write('0\r\n\r\n')
  await last
  expect(answers.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '400', '400', '200', '200'])
  expect(events).toEqual([event, event, {}])
})

test('refuses with 503 while no event can be taken', async () => {
  const { receiver, events } = await start({}, { kind: 'busy', reason: 'later' })
  expect(await send(receiver.address, { body: JSON.stringify(event) })).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: '{"message":"later"}',
  })
  expect(events).toEqual([])
})

describe('closing', () => {
  test('responds to running requests, ends idle connections and accepts no more', async () => {
    const { receiver, events } = await start()
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    await send(receiver.address, { body: JSON.stringify(event), agent })
    const silent = connect(receiver.port, '127.0.0.1')
    await once(silent, 'connect')
    const running = httpRequest(receiver.address, { method: 'POST' })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      running.on('response', response => resolve(response.resume().statusCode)).on('error', reject)
    })
    const body = JSON.stringify(event)
    running.write(body.slice(0, 10))
    // A second exchange on another socket shows that the first half has been read.
    await send(receiver.address, { body: JSON.stringify(event) })
    const closed = receiver.close()
    running.end(body.slice(10))
    expect(await answered).toBe(200)
    await closed
    expect(events).toHaveLength(3)
    await expect(fetch(receiver.address)).rejects.toThrow()
  })

  test('does not wait for ever for a request that never ends', async () => {
    const { receiver, clock } = await start()
    const socket = connect(receiver.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{')
    await send(receiver.address, { body: JSON.stringify(event) })
    const closed = receiver.close()
    clock.pass()
    await closed
    expect(clock.slept).toContain(5000)
  })
})

test('reports a port in use, and how to find a free one', async () => {
  const { receiver } = await start()
  await expect(start({ port: receiver.port })).rejects.toMatchObject({
    kind: 'conflict',
    code: 'port-in-use',
    details: { port: receiver.port },
  })
})

test('rejects an address of another machine', async () => {
  await expect(start({ host: '203.0.113.7' })).rejects.toMatchObject({ kind: 'usage', code: 'cannot-listen' })
})

class Refusals extends Array<Rejection> {
  #listener: ((refusal: Rejection) => void) | undefined
  listen(listener: (refusal: Rejection) => void): void {
    this.#listener = listener
  }
  add(refusal: Rejection): void {
    this.push(refusal)
    this.#listener?.(refusal)
  }
}

async function start(options: Partial<ReceiverOptions> = {}, taken?: Taken) {
  const events: unknown[] = []
  const deliveries: ReceivedDelivery[] = []
  const refusals = new Refusals()
  const readDelivery = createDeliveryReader(options.maxBodyBytes ?? 1024 ** 2)
  const clock = patientClock()
  const receiver = await startReceiver(
    { host: '127.0.0.1', port: 0, path: '/', maxBodyBytes: 1024 ** 2, clock, ...options },
    {
      accept(delivery) {
        const read = readDelivery(delivery)
        if ('status' in read) return { kind: 'malformed', rejection: read }
        return (
          taken ?? {
            kind: 'accepted',
            show() {
              for (const { body } of read.events) events.push(body)
              deliveries.push(delivery)
            },
          }
        )
      },
      onRefused: refusal => refusals.add(refusal),
    },
  )
  onTestFinished(async () => {
    const closed = receiver.close()
    clock.pass()
    await closed
  })
  return { receiver, events, deliveries, refusals, clock }
}

/** node:http rather than fetch: it lets a test say any Host and Origin. */
async function send(
  url: string,
  {
    body,
    ...options
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer; agent?: Agent },
) {
  return await new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const request = httpRequest(url, { method: 'POST', ...options }, async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode, headers: response.headers, body: text })
      })
      request.on('error', reject).end(body)
    },
  )
}

async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

async function once<Value>(emitter: NodeJS.EventEmitter, name: string): Promise<Value[]> {
  return await new Promise(resolve => emitter.once(name, (...values: Value[]) => resolve(values)))
}
