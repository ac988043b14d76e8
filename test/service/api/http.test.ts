import { getEventListeners, once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { CallyardError } from '../../../src/lib/error.ts'
import { apiHints } from '../../../src/service/api/api-hints.ts'
import { type Api, createApi } from '../../../src/service/api/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import {
  type MisbehavingServer,
  type Misbehaviour,
  misbehavingServer,
} from '../../helpers/misbehaving-server.ts'
import { refusingOrigin } from '../../helpers/ports.ts'
import { startStubApi } from '../../helpers/stub-api.ts'

type ApiOptions = Parameters<typeof createApi>[0]

const apiKey = 'key-that-must-not-be-shown'

let server: MisbehavingServer
let slept: number[]
let lines: string[]
let apis: Api[]

beforeEach(async () => {
  server = await misbehavingServer()
  slept = []
  lines = []
  apis = []
})

afterEach(async () => {
  for (const api of apis) await api.close()
  await server.close()
  expect(lines.join('\n')).not.toContain(apiKey)
})

type Changes = Partial<ApiOptions> & { baseUrl?: string; apiKey?: string }

function api(changes: Changes = {}): Api {
  return open(optionsOf(changes))
}

function open(options: ApiOptions): Api {
  const opened = createApi(options)
  apis.push(opened)
  return opened
}

function optionsOf(changes: Changes = {}): ApiOptions {
  return {
    connect: async () => ({ baseUrl: server.baseUrl, apiKey, ...changes }),
    timeoutMs: 10_000,
    clock: {
      now: () => 0,
      async sleep(milliseconds) {
        slept.push(milliseconds)
      },
    },
    signal: new AbortController().signal,
    env: {},
    debug: line => lines.push(line),
    onRetry: ({ reason, waitMs }) => {
      lines.push(`${reason}; retrying in ${waitMs} ms`)
      return () => lines.push('waited')
    },
    ...changes,
  }
}

async function failureOf(work: Promise<unknown>): Promise<CallyardError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CallyardError))
    throw new Error('it should have failed with a CallyardError', { cause: error })
  expect(JSON.stringify([error.message, error.hint, error.details, error.stack])).not.toContain(apiKey)
  return error
}

/** One endpoint of each kind. */
const endpoints = {
  GET: (service: Api) => service.request({ method: 'get', path: '/anything' }),
  POST: (service: Api) => service.startCall({ userNumber: '+12025550101' }),
  PATCH: (service: Api) => service.updateTool('t 1/2', { async: true }),
  PUT: async (service: Api) => ({ answer: await service.updateFaq('kb', []) }),
} as const

describe('the seven endpoints', () => {
  test('send method, path, body and key as interface.md 4 says', async () => {
    const permitted: string[] = []
    const service = api({
      connect: async () => ({ baseUrl: `${server.baseUrl}/prefix/`, apiKey: async () => apiKey }),
      permit: async ({ method, url, json }) => void permitted.push(`${method} ${url.pathname} ${json}`),
    })
    await service.startCall({ userNumber: '+12025550101' })
    await service.connectCall({ direction: 'outbound' })
    await service.createAssistant({ name: 'Ada' })
    await service.createTool({ type: 'function' })
    await service.updateTool('a/b ?', { async: true })
    await service.insertFaq('kb-1', [{ question: 'q', answer: 'a' }])
    await service.updateFaq('kb-1', [{ id: 'f', question: 'q', answer: 'a' }])
    expect(server.requests.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
      'POST /prefix/calls/v1/conversations {"userNumber":"+12025550101"}',
      'POST /prefix/calls/v1/conversations/connect {"direction":"outbound"}',
      'POST /prefix/assistants/v1/assistants {"name":"Ada"}',
      'POST /prefix/assistants/v1/tools {"type":"function"}',
      'PATCH /prefix/assistants/v1/tools/a%2Fb%20%3F {"async":true}',
      'POST /prefix/kb/v1/knowledge-bases/kb-1/faq-template {"faq":[{"question":"q","answer":"a"}]}',
      'PUT /prefix/kb/v1/knowledge-bases/kb-1/faq-template {"faq":[{"id":"f","question":"q","answer":"a"}]}',
    ])
    const changing = server.requests.map(({ method, path, body }) => `${method} ${path} ${body}`)
    for (const { headers, body } of server.requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': 'callyard',
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      })
    }
    await endpoints.GET(service)
    expect(permitted).toEqual(changing)
  })

  test('keep every field of a response', async () => {
    expect(await api().createTool({})).toEqual({ _id: 'id-1', id: 'id-1', sid: 'id-1', faq: [] })
  })

  test('rejects an id that would change the path before sending anything', async () => {
    for (const id of ['', '.', '..', '\ud800']) {
      expect(await failureOf(api().updateTool(id, {}))).toMatchObject({ kind: 'usage' })
    }
    expect(server.requests).toEqual([])
  })
})

test.each(['/a b/../../%2e?x=é', '/..', '/a/%2e%2e/../x', '/..%2fx', '/a/..\\..\\x', '/%2E%2e%5Cx'])(
  'rejects %s, which leaves the path of the base URL, before any request',
  async path => {
    const service = api({ baseUrl: `${server.baseUrl}/prefix` })
    expect(await failureOf(service.request({ method: 'GET', path }))).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('/prefix'),
    })
    expect(server.requests).toEqual([])
  },
)

test('sends a path with dots below the base URL as resolved', async () => {
  const service = api({ baseUrl: `${server.baseUrl}/prefix` })
  await service.request({ method: 'GET', path: '/a/./b/../c?x=../..' })
  expect(server.requests).toMatchObject([{ path: '/prefix/a/c?x=../..', body: '' }])
  expect(server.requests[0]?.headers).not.toHaveProperty('content-type')
})

interface Expected {
  readonly kind: string
  readonly outcome: string
  /** Requests that the server saw, by method. */
  readonly GET: number
  readonly POST: number
  readonly PATCH: number
  readonly PUT: number
}

const expected: Readonly<Partial<Record<Misbehaviour, Expected>>> = {
  401: { kind: 'unauthorized', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  403: { kind: 'unauthorized', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  404: { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  409: { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  408: { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  425: { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  499: { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  '422 with a deep body': { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  '500 with a deep body': { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  422: { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  'redirect elsewhere': { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  '429 retry after an hour': { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  '429 retry after 2 s': { kind: 'refused', outcome: 'refused', GET: 3, POST: 3, PATCH: 3, PUT: 3 },
  '503 retry after a date': { kind: 'unreachable', outcome: 'refused', GET: 3, POST: 3, PATCH: 3, PUT: 3 },
  429: { kind: 'refused', outcome: 'refused', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  500: { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  501: { kind: 'unreachable', outcome: 'unknown', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  503: { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  reset: { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  close: { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  'reset mid-body': { kind: 'unreachable', outcome: 'unknown', GET: 3, POST: 1, PATCH: 3, PUT: 3 },
  'upgrade unasked': { kind: 'unreachable', outcome: 'unknown', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  'not http': { kind: 'unreachable', outcome: 'unknown', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  huge: { kind: 'unreachable', outcome: 'unknown', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  'not utf-8': { kind: 'partial', outcome: 'done', GET: 0, POST: 1, PATCH: 0, PUT: 0 },
  '400 not utf-8': { kind: 'refused', outcome: 'refused', GET: 1, POST: 1, PATCH: 1, PUT: 1 },
  html: { kind: 'unreachable', outcome: 'unknown', GET: 0, POST: 1, PATCH: 1, PUT: 1 },
  empty: { kind: 'partial', outcome: 'done', GET: 0, POST: 1, PATCH: 0, PUT: 0 },
  'broken json': { kind: 'unreachable', outcome: 'unknown', GET: 0, POST: 1, PATCH: 1, PUT: 1 },
  'without id': { kind: 'partial', outcome: 'done', GET: 0, POST: 1, PATCH: 0, PUT: 0 },
  list: { kind: 'partial', outcome: 'done', GET: 0, POST: 1, PATCH: 0, PUT: 0 },
}

describe.each(['GET', 'POST', 'PATCH', 'PUT'] as const)('%s', method => {
  test('100 Continue that was not asked for is skipped, on each request of a connection', async () => {
    server.behave('continue unasked')
    const service = api()
    for (let asked = 0; asked < 3; asked += 1)
      expect(await endpoints[method](service)).not.toHaveProperty('failure')
    expect(server.requests).toHaveLength(3)
    expect(slept).toEqual([])
  })

  test.each(Object.keys(expected) as Misbehaviour[])('on %s', async mode => {
    const { kind, outcome, [method]: count } = expected[mode] ?? expected[500] ?? never()
    if (count === 0) return
    server.behave(mode)
    const error = await failureOf(
      endpoints[method](api()).then(answer => {
        if ('failure' in answer) throw answer.failure
      }),
    )
    expect(error).toMatchObject({ kind, details: { outcome } })
    expect(server.requests.map(request => request.method)).toEqual(Array(count).fill(method))
    const backoff = [1000, 2000].slice(0, count - 1)
    expect(slept).toEqual(
      String(mode).includes('retry after') ? Array(count - 1).fill(expect.any(Number)) : backoff,
    )
    expect(error.message.includes('the call may have been placed; not retried')).toBe(
      method === 'POST' && outcome === 'unknown',
    )
    expect(error.message.includes('gave up after 3 attempts')).toBe(count === 3)
  })

  test('retries a refused connection three times for each method', async () => {
    const baseUrl = await refusingOrigin()
    const error = await failureOf(endpoints[method](api({ baseUrl })))
    expect(error).toMatchObject({
      kind: 'unreachable',
      details: { outcome: 'not-sent', code: 'ECONNREFUSED' },
    })
    expect(slept).toEqual([1000, 2000])
    expect(lines).toContain('connection refused; retrying in 1000 ms')
  })

  test('response that never arrives', async () => {
    server.behave('hang', 'hang mid-body', 'hang')
    const error = await failureOf(endpoints[method](api({ timeoutMs: 1000 })))
    const hint = method === 'POST' ? apiHints.checkOutcomeAfterTimeout : apiHints.allowMoreTime
    expect(error).toMatchObject({ kind: 'unreachable', hint, details: { outcome: 'unknown' } })
    expect(server.requests).toHaveLength(method === 'POST' ? 1 : 3)
  })

  test('429 with Retry-After, then a response', async () => {
    server.behave('429 retry after 2 s', 'ok')
    await endpoints[method](api())
    expect(slept).toEqual([2000])
    expect(server.requests).toHaveLength(2)
    expect(lines).toContain('the service responded 429; retrying in 2000 ms')
  })
})

test.each([
  ['60', [60_000]],
  ['60.001', []],
])('a service that asks for %s s of patience: a minute is the most', async (seconds, waits) => {
  const stub = await startStubApi()
  onTestFinished(stub.close)
  stub.answer('GET', '/anything', { status: 429, headers: { 'retry-after': seconds } })
  stub.answer('GET', '/anything', {})
  await endpoints.GET(api({ baseUrl: stub.baseUrl }))
  expect(slept).toEqual(waits)
})

test('accepts a response with another id than requested, with a warning', async () => {
  const warnings: string[] = []
  const service = api({ warn: line => warnings.push(line) })
  expect(await service.updateTool('t1', {})).toMatchObject({ _id: 'id-1' })
  expect(warnings).toEqual(['PATCH of t1 returned the record of id-1'])
})

test('waits silently if nothing listens', async () => {
  server.behave('reset', 500, 'ok')
  const { onRetry: _, debug: __, ...silent } = optionsOf()
  await endpoints.GET(open(silent))
  expect(server.requests).toHaveLength(3)
})

test('reports with each retry whether the service is rate limiting', async () => {
  server.behave('reset', 500, 'ok', '429 retry after 2 s', 'ok')
  const limited: boolean[] = []
  const service = api({
    onRetry: ({ isRateLimited }) => {
      limited.push(isRateLimited)
      return () => undefined
    },
  })
  for (let asked = 0; asked < 2; asked += 1) await endpoints.GET(service)
  expect(limited).toEqual([false, false, true])
})

describe('message of an error', () => {
  test.each<[Misbehaviour, string]>([
    [401, 'the service rejected the API key for POST {url} (401): no such key'],
    [422, 'the service rejected POST {url} (422): does not pass: name: is missing'],
    [
      '500 with a deep body',
      `POST {url}: outcome unknown (the service responded 500): {"message":${'['.repeat(489)}…; the call may have been placed; not retried`,
    ],
    [
      'html',
      'POST {url} returned text/html, not JSON (200); the call may have been placed; not retried: <html><body>Sign in</body></html>',
    ],
    [
      'huge',
      'POST {url} returned more than 32 MB, which is not read (200); the call may have been placed; not retried',
    ],
    ['reset', 'POST {url} failed: the connection was reset; the call may have been placed; not retried'],
    [
      'redirect elsewhere',
      'POST {url} was redirected (302) to https://elsewhere.example.com; redirects are not followed, the key stays with {origin}',
    ],
  ])('%s', async (mode, message) => {
    server.behave(mode)
    const error = await failureOf(api().startCall({}))
    const url = `${server.baseUrl}/calls/v1/conversations`
    expect(error.message).toBe(message.replace('{url}', url).replace('{origin}', server.baseUrl))
  })

  test('reports the proxy that refused the connection', async () => {
    const { baseUrl } = server
    await server.close()
    const proxied = { baseUrl: 'https://service.example.com', env: { HTTPS_PROXY: baseUrl } }
    const error = await failureOf(api(proxied).startCall({}))
    server = await misbehavingServer()
    expect(error.hint).toBe(
      `HTTPS_PROXY is set: requests go through ${new URL(baseUrl).host}, unless NO_PROXY lists the host`,
    )
  })

  test('an echoed key is concealed in error, header and debug lines', async () => {
    server.behave('echo the key')
    const error = await failureOf(api().startCall({}))
    expect(error.message).toContain('the header was Bearer ****')
    expect(error.message).toContain('(request for-Bearer ****)')
    expect(lines).toContain('> authorization: ****')
    expect(lines).toContain('< set-cookie: ****')
    const raw = await api().request({ method: 'GET', path: '/' })
    expect(JSON.stringify([raw, raw.failure?.message])).not.toContain(apiKey)
  })

  test('keeps the unknown outcome of an earlier attempt if the last one cannot connect', async () => {
    server.behave('reset')
    let connections = 0
    const service = api({
      clock: {
        now: () => 0,
        async sleep() {
          connections += 1
          if (connections === 1) await server.close()
        },
      },
    })
    const error = await failureOf(service.updateTool('t', {}))
    server = await misbehavingServer()
    expect(error.details).toMatchObject({ code: 'ECONNREFUSED', outcome: 'unknown' })
    expect(error.message).toContain('the tool may have been updated')
  })
})

describe('the key', () => {
  test.each([['two\nlines'], ['ключ'], [' '], ['with space'], ['\u0000']])('%j cannot be sent', async key => {
    expect(await failureOf(api({ apiKey: key }).startCall({}))).toMatchObject({
      kind: 'unauthorized',
      details: { outcome: 'not-sent' },
    })
    expect(server.requests).toEqual([])
  })

  test.each([
    ['http://api.example.com'],
    ['http://127.0.0.1.example.com'],
    ['http://[::2]:80'],
    ['ftp://127.0.0.1'],
    ['https://user:word@api.example.com'],
    ['https://api.example.com/?a=b'],
    ['api.example.com'],
    [''],
  ])('does not go to %s', async baseUrl => {
    expect(await failureOf(api({ baseUrl }).startCall({}))).toMatchObject({ kind: 'usage' })
  })
})

describe('Ctrl-C', () => {
  test('during a POST reports an unknown outcome', async () => {
    server.behave('hang')
    const interrupt = new AbortController()
    const failing = failureOf(api({ signal: interrupt.signal, timeoutMs: 600_000 }).startCall({}))
    await server.received(1)
    interrupt.abort()
    expect(await failing).toMatchObject({
      kind: 'cancelled',
      message: 'cancelled; the call may have been placed',
      details: { outcome: 'unknown' },
    })
    expect(getEventListeners(interrupt.signal, 'abort')).toEqual([])
  })

  test('during a retry delay ends immediately', async () => {
    server.behave('429 retry after 2 s')
    const interrupt = new AbortController()
    const service = api({
      signal: interrupt.signal,
      clock: {
        now: () => 0,
        async sleep(_, signal) {
          interrupt.abort()
          signal?.throwIfAborted()
        },
      },
    })
    expect(await failureOf(service.startCall({}))).toMatchObject({
      kind: 'cancelled',
      details: { outcome: 'not-sent' },
    })
    expect(server.requests).toHaveLength(1)
  })

  test('during a retry delay after a lost response reports an unknown outcome', async () => {
    server.behave('reset')
    const interrupt = new AbortController()
    const clock = { now: () => 0, sleep: async () => interrupt.abort() }
    const error = await failureOf(endpoints.PATCH(api({ signal: interrupt.signal, clock })).then(() => {}))
    expect(error).toMatchObject({ kind: 'cancelled', details: { outcome: 'unknown' } })
  })

  test('is not what a broken clock is', async () => {
    server.behave(500)
    const clock = { now: () => 0, sleep: () => Promise.reject(new Error('no time')) }
    await expect(endpoints.GET(api({ clock }))).rejects.toThrow('no time')
  })

  test('before anything is sent', async () => {
    expect(await failureOf(api({ signal: AbortSignal.abort() }).startCall({}))).toMatchObject({
      kind: 'cancelled',
      message: 'cancelled; nothing was sent',
    })
    expect(server.requests).toEqual([])
  })
})

describe('many requests at once', () => {
  /** Time passes by sleeping alone. */
  function manualClock() {
    let now = 0
    return {
      now: () => now,
      async sleep(milliseconds: number) {
        slept.push(milliseconds)
        now += milliseconds
      },
    }
  }

  test('all requests wait if the service asks for patience', async () => {
    server.behave('429 retry after 2 s', 'ok')
    const sleepers: (() => void)[] = []
    let now = 0
    let asleep = () => {}
    const service = api({
      clock: {
        now: () => now,
        sleep: milliseconds =>
          new Promise(resolve => {
            expect(milliseconds).toBe(2000)
            sleepers.push(resolve)
            asleep()
          }),
      },
    })
    const nextSleeper = () =>
      new Promise<void>(resolve => {
        asleep = resolve
      })
    const [first] = [endpoints.POST(service), await nextSleeper()]
    const [other] = [endpoints.PATCH(service), await nextSleeper()]
    expect(server.requests).toHaveLength(1)
    now = 2000
    for (const wake of sleepers) wake()
    await Promise.all([first, other])
    expect(server.requests).toHaveLength(3)
  })

  test('retries a batch ten times, and a single request three times', async () => {
    server.behave('429 retry after 2 s')
    const error = await failureOf(endpoints.POST(api({ clock: manualClock(), batch: true })))
    expect(error).toMatchObject({ kind: 'refused', details: { outcome: 'refused', status: 429 } })
    expect(server.requests).toHaveLength(10)
    expect(slept).toEqual(Array(9).fill(2000))
  })

  test('a batch is not more patient with a service that does not ask for it', async () => {
    server.behave(500)
    await failureOf(endpoints.PUT(api({ clock: manualClock(), batch: true })))
    expect(server.requests).toHaveLength(3)
  })

  test('a request that waits by itself holds up no other', async () => {
    server.behave(500, 'ok')
    const service = api()
    await endpoints.GET(service)
    await endpoints.GET(service)
    expect(slept).toEqual([1000])
  })

  test('a batch waits at Ctrl-C for what is under way, and sends nothing more', async () => {
    const interrupt = new AbortController()
    const service = api({ signal: interrupt.signal, batch: true })
    const { origin } = await listenOnLoopback(
      createHttpServer((_, response) => {
        interrupt.abort()
        response.end('{"sid":"c1"}')
      }),
    )
    const slow = api({ baseUrl: origin, signal: interrupt.signal, batch: true })
    expect(await slow.startCall({})).toMatchObject({ sid: 'c1' })
    expect(await failureOf(service.startCall({}))).toMatchObject({ kind: 'cancelled' })
    expect(server.requests).toEqual([])
  })
})

test('a rejection does not undo an earlier attempt', async () => {
  for (const first of ['reset', 500, '500 retry after 2 s', 503, 408] as const) {
    server.behave(first, 422)
    expect(await failureOf(endpoints.PATCH(api()))).toMatchObject({
      kind: 'refused',
      details: { status: 422, outcome: 'unknown' },
    })
  }
  server.behave('503 retry after a date', 422)
  expect(await failureOf(endpoints.PATCH(api()))).toMatchObject({ details: { outcome: 'refused' } })
})

test('knows that a request was not sent if the connection fails', async () => {
  // A server without TLS: the handshake gets an invalid response.
  const plain = createServer(socket => socket.end('hello\r\n')).listen(0, '127.0.0.1')
  await once(plain, 'listening')
  const address = plain.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const error = await failureOf(api({ baseUrl: `https://127.0.0.1:${port}` }).startCall({}))
  expect(error).toMatchObject({ kind: 'unreachable', details: { outcome: 'not-sent' } })
  plain.close()
})

describe('service or proxy that accepts the connection and stays silent', () => {
  test.each([
    ['service', (port: number) => ({ baseUrl: `https://127.0.0.1:${port}` })],
    [
      'proxy',
      (port: number) => ({
        baseUrl: 'https://service.example.com',
        env: { HTTPS_PROXY: `http://127.0.0.1:${port}` },
      }),
    ],
  ])('%s: neither the deadline nor Ctrl-C waits for it', async (_, where) => {
    const sockets: Socket[] = []
    const silent = createServer(socket => sockets.push(socket.on('error', () => undefined))).listen(
      0,
      '127.0.0.1',
    )
    await once(silent, 'listening')
    const address = silent.address()
    const options = where(typeof address === 'object' && address !== null ? address.port : 0)

    expect(await failureOf(api({ ...options, timeoutMs: 200 }).startCall({}))).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/no response within .*; nothing was sent; gave up after 3 attempts$/),
      details: { outcome: 'not-sent' },
    })
    const interrupt = new AbortController()
    const failing = failureOf(api({ ...options, signal: interrupt.signal }).startCall({}))
    await once(silent, 'connection')
    interrupt.abort()
    expect(await failing).toMatchObject({ kind: 'cancelled', details: { outcome: 'not-sent' } })

    for (const opened of apis.splice(0)) await opened.close()
    await Promise.all(sockets.map(async socket => socket.closed || once(socket.resume(), 'close')))
    silent.close()
  })
})

test('a closed client keeps no connection open', async () => {
  const service = createHttpServer((request, response) => {
    request.resume().on('end', () => response.end('{"sid":"c1"}'))
  })
  const { origin } = await listenOnLoopback(service)
  const connection = once(service, 'connection')
  const client = api({ baseUrl: origin })
  await client.startCall({})
  const [socket] = await connection
  const closed = once(socket, 'close')
  await client.close()
  await closed
})

function never(): never {
  throw new Error('not expected')
}
