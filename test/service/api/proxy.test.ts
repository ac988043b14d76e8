import { setMaxListeners } from 'node:events'
import { createServer as createProxy } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, createServer, type Server as NetServer, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { openHttpClient, send } from '../../../src/lib/net/http-client.ts'
import { chooseProxy } from '../../../src/lib/net/proxy.ts'
import { createApi } from '../../../src/service/api/index.ts'
import { startConnectProxy, startTlsServer } from '../../helpers/connect-proxy.ts'
import { refusingPort } from '../../helpers/ports.ts'
import { certificate, privateKey } from './certificate.ts'

const apiKey = 'key-that-must-not-be-shown'
const closing: (() => unknown)[] = []
const warnings: Error[] = []
const collect = (warning: Error) => warnings.push(warning)

// The certificate is made for the test: these tests are about proxies, not about trust.
const trust = process.env.NODE_TLS_REJECT_UNAUTHORIZED
beforeAll(() => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  process.on('warning', collect)
})
afterAll(() => {
  if (trust === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = trust
  process.off('warning', collect)
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A TLS service that responds to every request with an id. */
const tlsService = ({ interim = '' } = {}) =>
  startTlsServer((_, response) => {
    response.socket?.write(interim)
    response.setHeader('content-type', 'application/json')
    response.end('{"sid":"CC-1"}')
  })

/** The proxy never sees the key. */
async function connectProxy(...[target, options]: Parameters<typeof startConnectProxy>) {
  const proxy = options?.proxy ?? createProxy()
  proxy.on('connect', ({ headers }) => expect(JSON.stringify(headers)).not.toContain(apiKey))
  return startConnectProxy(target, { ...options, proxy })
}

async function listening(server: NetServer): Promise<number> {
  await new Promise<void>(resolve => server.once('listening', resolve))
  closing.push(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function api(baseUrl: string, env: Record<string, string>) {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  const opened = createApi({
    connect: async () => ({ baseUrl, apiKey }),
    timeoutMs: 10_000,
    clock: { now: () => 0, sleep: async () => undefined },
    signal,
    env,
  })
  closing.push(() => opened.close())
  return opened
}

test.each(['HTTPS_PROXY', 'https_proxy'])('%s leads through a tunnel, without a warning', async name => {
  const proxy = await connectProxy(await tlsService())
  const service = api('https://service.example.com', { [name]: `http://ada:secret@127.0.0.1:${proxy.port}` })
  expect(await service.startCall({})).toEqual({ sid: 'CC-1' })
  expect(proxy.seen).toEqual([`CONNECT service.example.com:443 Basic ${btoa('ada:secret')}`])
  expect(warnings.filter(({ message }) => !message.includes('NODE_TLS_REJECT_UNAUTHORIZED'))).toEqual([])
})

test('a proxy that inspects TLS is not blamed for the connection: its certificate is', async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '1'
  onTestFinished(() => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  })
  const proxy = await connectProxy(await tlsService())
  const service = api('https://service.example.com', { HTTPS_PROXY: `127.0.0.1:${proxy.port}` })
  await expect(service.startCall({})).rejects.toMatchObject({
    message: expect.stringContaining('the certificate is not trusted'),
    hint: expect.stringContaining('a proxy that inspects TLS, set NODE_EXTRA_CA_CERTS'),
    details: { outcome: 'not-sent' },
  })
})

test('proxy that responds byte by byte', async () => {
  const target = await tlsService()
  const proxy = createServer(socket => {
    socket.setNoDelay(true).once('data', () => {
      const answer = [...'HTTP/1.1 200 Connection Established\r\n\r\n']
      const upstream = connect(target, '127.0.0.1')
      const next = () => {
        const byte = answer.shift()
        if (byte === undefined) upstream.pipe(socket).pipe(upstream)
        else socket.write(byte, () => setImmediate(next))
      }
      upstream.once('connect', next)
    })
  }).listen(0, '127.0.0.1')
  const service = api('https://service.example.com', { HTTPS_PROXY: `127.0.0.1:${await listening(proxy)}` })
  expect(await service.startCall({})).toEqual({ sid: 'CC-1' })
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
})

test('many tunnels at once', async () => {
  const proxy = await connectProxy(await tlsService())
  const service = api('https://service.example.com', { HTTPS_PROXY: `127.0.0.1:${proxy.port}` })
  await Promise.all(Array.from({ length: 30 }, () => service.startCall({})))
  expect(proxy.seen).toHaveLength(30)
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
})

test('asks a proxy over TLS for the intended host name', async () => {
  const names: string[] = []
  const server = createTlsServer({
    key: privateKey,
    cert: certificate,
    SNICallback(name, done) {
      names.push(name)
      done(null)
    },
  })
  const proxy = await connectProxy(await tlsService(), { proxy: server })
  const opened = api('https://service.example.com', { HTTPS_PROXY: `https://localhost:${proxy.port}` })
  expect(await opened.startCall({})).toEqual({ sid: 'CC-1' })
  expect(names).toEqual(['localhost'])
})

test('a proxy’s password may contain a percent sign', async () => {
  const proxy = await connectProxy(await tlsService())
  const service = api('https://service.example.com', {
    HTTPS_PROXY: `http://ada:100%@127.0.0.1:${proxy.port}`,
  })
  expect(await service.startCall({})).toEqual({ sid: 'CC-1' })
  expect(proxy.seen).toEqual([`CONNECT service.example.com:443 Basic ${btoa('ada:100%')}`])
})

const interim = 'HTTP/1.1 100 Continue\r\n\r\n'

test.each([
  ['the service', { service: interim, proxy: '' }],
  ['the proxy, before the tunnel', { service: '', proxy: interim }],
  ['both, twice', { service: interim.repeat(2), proxy: interim.repeat(2) }],
])('100 Continue that was not asked for is skipped through a tunnel: from %s', async (_, sent) => {
  const service = await tlsService({ interim: sent.service })
  const proxy = await connectProxy(service, { interim: sent.proxy })
  const opened = api('https://service.example.com', { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` })
  expect(await opened.startCall({})).toEqual({ sid: 'CC-1' })
  expect(await opened.startCall({})).toEqual({ sid: 'CC-1' })
})

test('skips an unexpected 100 Continue from a proxy over TLS', async () => {
  const service = await tlsService({ interim })
  const proxy = await connectProxy(service, {
    interim,
    proxy: createTlsServer({ key: privateKey, cert: certificate }),
  })
  const opened = api('https://service.example.com', { HTTPS_PROXY: `https://127.0.0.1:${proxy.port}` })
  expect(await opened.startCall({})).toEqual({ sid: 'CC-1' })
  expect(await opened.startCall({})).toEqual({ sid: 'CC-1' })
})

test('NO_PROXY excepts hosts', async () => {
  const port = await tlsService()
  const proxy = await connectProxy(port)
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'other.example.com,0.0.0.0' }
  expect(await api(`https://0.0.0.0:${port}`, env).startCall({})).toEqual({ sid: 'CC-1' })
  expect(proxy.seen).toEqual([])
})

test.each([
  ['https://[2001:db8::1]', '2001:db8::1', true],
  ['https://[2001:db8::1]', '2001:DB8:0:0::1', true],
  ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443', true],
  ['https://[2001:db8::1]', '2001:db8::2', false],
  ['https://[2001:db8::1]', '2001:db8::/32', true],
  ['https://[2001:db9::1]', 'a.test 2001:db8::/32', false],
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.0.0.0/', false],
  ['https://10.1.2.3', '0.0.0.0/33', false],
  ['https://10.1.2.3', '10.1.2.3,a.test', true],
  ['https://service.example.com', '10.0.0.0/8,2001:db8::/32', false],
  ['https://service.example.com', '.example.com', true],
])('%s is an exception of NO_PROXY=%s: %s', (url, NO_PROXY, isExcepted) => {
  const proxy = chooseProxy(new URL(url), { HTTPS_PROXY: 'http://proxy.example.com:3128', NO_PROXY })
  expect(proxy === undefined).toBe(isExcepted)
})

test('a tunnel to a service that never answers as TLS ends with the connect timeout', async () => {
  const silent = createServer(socket => socket.on('error', () => {}))
  silent.listen(0)
  const { port } = await connectProxy(await listening(silent))
  const client = await openHttpClient({ connectTimeoutMs: 500 })
  closing.push(() => client.close())
  const proxy = new URL(`http://127.0.0.1:${port}`)
  const request = { method: 'POST', url: new URL('https://service.example.com'), proxy, headers: {} }
  const { signal } = new AbortController()
  const result = await send(client, request, {
    timeoutMs: 10_000,
    maxBytes: 1000,
    signal,
    clock: systemClock,
  })
  expect(result).toMatchObject({
    reason: 'connection timed out',
    unsent: true,
    unreachable: true,
    isLate: false,
  })
})

test('this machine is never reached through a proxy', async () => {
  const port = await tlsService()
  const proxy = await connectProxy(port)
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  expect(await api(`https://127.0.0.1:${port}`, env).startCall({})).toEqual({ sid: 'CC-1' })
  expect(proxy.seen).toEqual([])
  expect(
    chooseProxy(new URL('http://localhost:4010'), { HTTP_PROXY: 'http://proxy.example.com' }),
  ).toBeUndefined()
})

test('a proxy that refuses the tunnel: nothing was sent', async () => {
  const proxy = await connectProxy(undefined)
  const service = api('https://service.example.com', {
    HTTPS_PROXY: `http://ada:secret@127.0.0.1:${proxy.port}`,
  })
  await expect(service.startCall({})).rejects.toMatchObject({
    kind: 'unreachable',
    message:
      'POST https://service.example.com/calls/v1/conversations failed: the proxy refused the connection (407); nothing was sent',
    hint: `HTTPS_PROXY is set: requests go through 127.0.0.1:${proxy.port}, unless NO_PROXY lists the host`,
    details: { outcome: 'not-sent' },
  })
  expect(proxy.seen).toHaveLength(1)
})

test.each([
  ['closes the connection', (socket: Socket) => socket.end()],
  ['answers with something else', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
])('a proxy that %s when it is asked: nothing was sent, and it ends', async (_, answer) => {
  let asked = 0
  const proxy = createServer(socket => {
    socket
      .on('error', () => {})
      .once('data', () => {
        asked += 1
        answer(socket)
      })
  }).listen(0, '127.0.0.1')
  const service = api('https://service.example.com', { HTTPS_PROXY: `127.0.0.1:${await listening(proxy)}` })
  await expect(service.startCall({})).rejects.toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('the proxy did not send an HTTP response'),
    details: { outcome: 'not-sent' },
  })
  expect(asked).toBe(3)
})

test('missing proxy', async () => {
  const port = await refusingPort()
  const service = api('https://service.example.com', { HTTPS_PROXY: `127.0.0.1:${port}` })
  await expect(service.startCall({})).rejects.toMatchObject({
    kind: 'unreachable',
    hint: `HTTPS_PROXY is set: requests go through 127.0.0.1:${port}, unless NO_PROXY lists the host`,
    details: { outcome: 'not-sent', code: 'ECONNREFUSED' },
  })
})

test.each(['socks5://127.0.0.1:1', 'http://', '::'])('%s is not a proxy', async proxy => {
  await expect(
    api('https://service.example.com', { HTTPS_PROXY: proxy }).startCall({}),
  ).rejects.toMatchObject({
    kind: 'usage',
  })
})

test('an untrusted certificate: nothing was sent, and it is not tried again', async () => {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '1'
  const port = await tlsService()
  try {
    await expect(api(`https://127.0.0.1:${port}`, {}).startCall({})).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\); nothing was sent$/),
      details: { outcome: 'not-sent' },
    })
  } finally {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  }
})
