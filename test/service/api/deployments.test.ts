import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiHints } from '../../../src/service/api/api-hints.ts'
import { type Api, createApi } from '../../../src/service/api/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { realClock } from '../../helpers/real-clock.ts'

/** Creates a client of a service with the given responses. */
async function serviceOf(listener: RequestListener, warnings: string[] = []) {
  const server = createServer(listener)
  const { origin } = await listenOnLoopback(server)
  let now = 0
  const api = createApi({
    connect: async () => ({ baseUrl: origin, apiKey: 'key-of-the-test' }),
    timeoutMs: 10_000,
    // So much time passes between two looks that a connection that is open then stays open.
    clock: { ...realClock, now: () => (now += 1000) },
    signal: new AbortController().signal,
    env: {},
    warn: line => warnings.push(line),
  })
  onTestFinished(() => api.close())
  return { api, server }
}

const responding = async (status: number, body: string | Buffer, headers: Record<string, string> = {}) =>
  (await serviceOf((_, response) => response.writeHead(status, headers).end(body))).api

const creations = {
  startCall: ['sid', (api: Api) => api.startCall({})],
  connectCall: ['id', (api: Api) => api.connectCall({})],
  createAssistant: ['_id', (api: Api) => api.createAssistant({})],
  createTool: ['_id', (api: Api) => api.createTool({})],
} as const

describe.each(Object.entries(creations))('the id of %s', (name, [field, create]) => {
  const noun = { createAssistant: 'assistant', createTool: 'tool' }[name] ?? 'call'
  test.each([
    { sid: 'x1' },
    { id: 'x1' },
    { _id: 'x1' },
    { [`${noun}Id`]: 'x1' },
    { [`${noun}_id`]: 'x1' },
    { data: { id: 'x1' } },
    { data: { [`${noun}Id`]: 'x1', status: 'queued' }, ok: true },
    { result: { id: 'x1' } },
    { success: true, data: { [noun]: { _id: 'x1' } } },
    { [noun]: { id: 'x1' } },
    { id: null, data: [{ sid: 'x1' }] },
    [{ _id: 'x1' }],
  ])('is found in %j', async shape => {
    const record = await create(await responding(201, JSON.stringify(shape)))
    expect(record).toMatchObject(Array.isArray(shape) ? {} : { ...shape, [field]: 'x1' })
    expect(record).toMatchObject({ [field]: 'x1' })
  })

  test('is the one in the interface’s field if there are several', async () => {
    const shape = {
      data: { [field]: 'other' },
      requestId: 'r1',
      id: 'i1',
      _id: 'i1',
      sid: 'i1',
      [field]: 'x1',
    }
    expect(await create(await responding(200, JSON.stringify(shape)))).toMatchObject({ [field]: 'x1' })
  })

  test.skipIf(field === 'id')('is that of the inner body if an envelope has its own id', async () => {
    const shape = { id: 'request-1', data: { [field]: 'x1' } }
    expect(await create(await responding(200, JSON.stringify(shape)))).toMatchObject({ [field]: 'x1' })
  })

  test.each(['', ' ', '\u0000', 'x1\n'])('is not %j', async id => {
    const shape = { [field]: id, data: { [`${noun}Id`]: 'x1' } }
    expect(await create(await responding(200, JSON.stringify(shape)))).toMatchObject({ [field]: 'x1' })
  })

  test.each(['OK', '', 'null', '7', '[]', '{"requestId":"r1"}', '[{"id":"1"},{"id":"2"}]'])(
    'is missing in %j: the request succeeded',
    async body => {
      const failing = create(await responding(200, body))
      await expect(failing).rejects.toMatchObject({
        kind: 'partial',
        hint: apiHints.lookUpId,
        details: { status: 200, outcome: 'done', ...(body === '' ? {} : { body }) },
      })
    },
  )
})

test('finds an id next to a name with an invalid byte', async () => {
  const body = Buffer.from('{"sid":"CC-1","name":"Caf\xe9"}', 'latin1')
  expect(await (await responding(200, body)).startCall({})).toMatchObject({ sid: 'CC-1' })
})

test('an id with an invalid byte is not taken', async () => {
  const body = Buffer.from('{"sid":"CC-\xe9"}', 'latin1')
  await expect((await responding(200, body)).startCall({})).rejects.toMatchObject({ kind: 'partial' })
})

test.each([
  [{ success: false, id: 'CC-1', message: 'line busy' }, ': line busy'],
  [{ ok: false, sid: 'CC-1' }, ': {"ok":false,"sid":"CC-1"}'],
])('a 2xx that reports a failure warns: %j', async (body, message) => {
  const warnings: string[] = []
  const { api } = await serviceOf((_, response) => response.end(JSON.stringify(body)), warnings)
  expect(await api.startCall({})).toMatchObject({ sid: 'CC-1' })
  expect(warnings).toEqual([
    expect.stringMatching(new RegExp(`returned 200, but the response reports a failure${message}$`)),
  ])
})

describe('the entries of an insert', () => {
  const entry = { question: 'q', answer: 'a' }
  test.each([
    [[{ ...entry, id: 'f1' }]],
    [[{ ...entry, _id: 'f1' }]],
    [{ faq: [{ ...entry, _id: 'f1' }] }],
    [{ data: { faq: [{ ...entry, faqId: 'f1' }] } }],
    [{ data: [{ ...entry, id: 'f1' }] }],
  ])('are found in %j', async shape => {
    const { faq } = await (await responding(200, JSON.stringify(shape))).insertFaq('kb', [entry])
    expect(faq).toMatchObject([{ ...entry, id: 'f1' }])
  })

  test('are missing in a text response, and the request succeeded', async () => {
    await expect((await responding(200, 'OK')).insertFaq('kb', [entry])).rejects.toMatchObject({
      kind: 'partial',
      details: { outcome: 'done', body: 'OK' },
    })
  })
})

test.each([
  [{ errorMessage: 'no such number' }],
  [{ code: 17, data: { message: 'no such number' } }],
  [{ error: true, data: { errorMessage: 'no such number' } }],
])('the message of %j is shown', async body => {
  const api = await responding(422, JSON.stringify(body), { 'content-type': 'application/json' })
  await expect(api.startCall({})).rejects.toMatchObject({ details: { serviceMessage: 'no such number' } })
})

describe('a compressed response', () => {
  const body = Buffer.from(JSON.stringify({ sid: 'CC-1', note: 'x'.repeat(1000) }))

  test('is not asked for', async () => {
    const asked: unknown[] = []
    const { api } = await serviceOf((request, response) => {
      asked.push(request.headers['accept-encoding'])
      response.end('{"sid":"CC-1"}')
    })
    await api.startCall({})
    expect(asked).toEqual(['identity'])
  })

  test.each([
    ['gzip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['deflate', deflateRawSync(body)],
    ['br', brotliCompressSync(body)],
    ['gzip, br', brotliCompressSync(gzipSync(body))],
    ['identity', body],
    ['gzip', body],
    ['zstd', body],
  ])('is read (%s)', async (encoding, bytes) => {
    const api = await responding(200, bytes, { 'content-encoding': encoding })
    expect(await api.startCall({})).toMatchObject({ sid: 'CC-1' })
  })

  test.each([
    ['gzip', gzipSync(body).subarray(0, 30), 'whose gzip encoding cannot be read'],
    ['zstd', Buffer.from('28b52ffd', 'hex'), 'whose zstd encoding cannot be read'],
    ['gzip', gzipSync(Buffer.alloc(33 * 1024 * 1024)), 'more than 32 MB'],
    ['br', brotliCompressSync(Buffer.alloc(33 * 1024 * 1024)), 'more than 32 MB'],
  ])('reports why it cannot be read (%s)', async (encoding, bytes, why) => {
    const api = await responding(200, bytes, { 'content-encoding': encoding })
    await expect(api.startCall({})).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining(why),
      details: { outcome: 'unknown' },
    })
  })
})

describe('connections', () => {
  /** Returns the number of connections for this many consecutive requests. */
  async function connectionsOf(requests: number, listener: RequestListener) {
    let connections = 0
    const { api, server } = await serviceOf((request, response) => {
      request.resume().on('end', () => listener(request, response))
    })
    server.on('connection', () => {
      connections += 1
    })
    for (let made = 0; made < requests; made += 1) await api.startCall({})
    return connections
  }

  test('are shared once one was seen to stay open', async () => {
    expect(await connectionsOf(20, (_, response) => response.end('{"sid":"CC-1"}'))).toBe(2)
  })

  test.each([
    ['ends', (socket: Socket) => socket.end()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('that the server %s after each response lose no request', async (_, cut) => {
    const listener: RequestListener = ({ socket }, response) =>
      response.end('{"sid":"CC-1"}', () => setImmediate(() => cut(socket)))
    expect(await connectionsOf(20, listener)).toBe(20)
  })

  test('are not shared after the server closed one', async () => {
    const sockets = new Set<Socket>()
    let closed: Promise<unknown> | undefined
    const { api } = await serviceOf(({ socket }, response) => {
      const isThird = sockets.size === 2 && !sockets.has(socket)
      sockets.add(socket)
      if (isThird) closed = once(socket, 'close')
      response.end('{"sid":"CC-1"}', () => isThird && socket.end())
    })
    for (let made = 0; made < 5; made += 1) await api.startCall({})
    expect(sockets.size).toBe(2)
    await Promise.all([api.startCall({}), api.startCall({})])
    await closed
    // A later connection of this process: by then the client has seen the end of the earlier one.
    const [port] = [...sockets].map(socket => socket.localPort)
    const later = connect(Number(port))
    await once(later, 'connect')
    later.destroy()
    expect(sockets.size).toBe(3)
    for (let made = 0; made < 10; made += 1) await api.startCall({})
    expect(sockets.size).toBe(13)
  })
})
