import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Pool } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { openHttpClient, send, streamResponse } from '../../../src/lib/net/http-client.ts'
import { createDeferred } from '../../../src/lib/queue.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { trackRetained } from '../../helpers/retained.ts'

async function serve(listener: RequestListener) {
  let connections = 0
  const server = createServer(listener).on('connection', () => {
    connections += 1
  })
  server.keepAliveTimeout = 0
  const { origin } = await listenOnLoopback(server)
  return { url: new URL(origin), connections: () => connections }
}

async function openClient() {
  const client = await openHttpClient({ maxIdleMs: 60_000, connectTimeoutMs: 600_000 })
  onTestFinished(() => client.close())
  return client
}

const never = new AbortController().signal
const limits = { timeoutMs: 60_000, maxBytes: 10, clock: systemClock }
const get = (url: URL, more: object = {}) => ({ method: 'GET', url, headers: {}, ...more })

test('a streamed response follows early hints', async () => {
  const { url } = await serve((_, response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => {
      response.setHeader('x-part', ['1', '2'])
      response.end('hello')
    })
  })
  const { status, headers, body } = await streamResponse(await openClient(), get(url), never)
  expect({ status, part: headers['x-part'] }).toEqual({ status: 200, part: '1, 2' })
  expect(await body.setEncoding('utf8').toArray()).toEqual(['hello'])
})

test('a streamed response is read no faster than its reader reads', async () => {
  const bytes = 16 * 1024 ** 2
  const { url } = await serve((_, response) => void response.end(Buffer.alloc(bytes)))
  const { body } = await streamResponse(await openClient(), get(url), never)
  let received = 0
  let most = 0
  for await (const chunk of body) {
    received += chunk.length
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    most = Math.max(most, body.readableLength)
  }
  expect(received).toBe(bytes)
  expect(most).toBeLessThan(1024 ** 2)
})

/** A request to a proxy that takes connections and sends nothing. `asked` resolves when it was asked for a tunnel, `left` when the client has gone. */
async function askSilentProxy() {
  const asked = createDeferred()
  const left = createDeferred()
  const sockets = new Set<Socket>()
  const silent = createTcpServer(socket => {
    sockets.add(socket.on('error', () => {}).on('close', () => left.resolve()))
    socket.once('data', () => asked.resolve())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  await once(silent, 'listening')
  const address = silent.address()
  const proxy = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  return {
    request: get(new URL('https://service.example.com'), { proxy }),
    asked: asked.promise,
    left: left.promise,
  }
}

test('an aborted streamed request ends immediately while a proxy is silent', async () => {
  const { request, asked } = await askSilentProxy()
  const aborted = new AbortController()
  const response = streamResponse(await openClient(), request, aborted.signal)
  response.catch(() => {})
  await asked
  aborted.abort(new Error('enough'))
  await expect(response).rejects.toThrow('enough')
})

test.each([
  ['https', true],
  ['http', false],
])('a late request is unsent until its first byte is written: %s', async (scheme, unsent) => {
  const sockets: Socket[] = []
  const silent = createTcpServer(socket => void sockets.push(socket.on('error', () => {}).resume()))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    silent.close()
    for (const socket of sockets) socket.destroy()
  })
  const url = new URL(`${scheme}://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  expect(await send(await openClient(), get(url), { ...limits, timeoutMs: 300 })).toMatchObject({
    reason: 'no response within 0.3 s',
    isLate: true,
    unsent,
    unreachable: false,
  })
})

test('a closed client ends requests that wait for a proxy', async () => {
  const { request, asked, left } = await askSilentProxy()
  const client = await openClient()
  const response = send(client, request, limits)
  await asked
  await client.close()
  expect(await response).toMatchObject({ unsent: true, isLate: false })
  await left
})

test('a connection that has closed is not kept', async () => {
  const client = await openClient()
  const { url } = await serve((_, response) => void response.end())
  const ask = () => send(client, get(url, { close: true }), limits)
  const sockets = trackRetained()
  const onSocket = (message: unknown) => sockets.add((message as { socket: Socket }).socket)
  subscribe('undici:client:connected', onSocket)
  onTestFinished(() => void unsubscribe('undici:client:connected', onSocket))
  for (let request = 0; request < 50; request += 1) await ask()
  expect(sockets.size).toBe(50)
  expect(await sockets.countRetained()).toBeLessThan(25)
})

test('closes the connection of a streamed response that is not read to its end', async () => {
  const left = createDeferred()
  const { url } = await serve((_, response) => {
    response.on('close', left.resolve).write('hello')
  })
  const { body } = await streamResponse(await openClient(), get(url), never)
  body.destroy()
  await left.promise
})

test('pools without connections are dropped, and the others stay', async () => {
  const client = await openClient()
  const servers = await Promise.all(
    Array.from({ length: 100 }, () => serve((_, response) => void response.end())),
  )
  const ask = (url: URL, close: boolean) => send(client, get(url, { close }), limits)
  const [kept = expect.fail(), ...others] = servers
  const pools = trackRetained()
  // undici reports no new pools.
  const { dispatch } = Pool.prototype
  Pool.prototype.dispatch = function (...to) {
    pools.add(this)
    return dispatch.apply(this, to)
  }
  onTestFinished(() => {
    Pool.prototype.dispatch = dispatch
  })
  await ask(kept.url, false)
  for (const { url } of others) await ask(url, true)
  await ask(kept.url, false)
  expect(kept.connections()).toBe(1)
  expect(pools.size).toBe(servers.length)
  expect(await pools.countRetained()).toBeLessThan(servers.length / 2)
})
