import { createServer } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { encodeText } from '../../../src/files/text/index.ts'
import {
  type ChatModel,
  type ChatRequest,
  createOpenAiModel,
  ModelFailure,
} from '../../../src/sandbox/model/index.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { type ModelAnswer, startModelServer } from '../../helpers/model-server.ts'
import { patientClock } from '../../helpers/patient-clock.ts'
import { refusingOrigin } from '../../helpers/ports.ts'
import { realClock } from '../../helpers/real-clock.ts'

const question: ChatRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'When?' },
    { role: 'assistant', content: '', toolCalls: [{ id: 't1', name: 'look', arguments: '{"a":1}' }] },
    { role: 'tool', toolCallId: 't1', content: '{"b":2}' },
  ],
  tools: [],
  temperature: 0.5,
  maxTokens: 100,
}

const modelAt = (baseUrl: string, options: Partial<Parameters<typeof createOpenAiModel>[0]> = {}) =>
  createOpenAiModel({
    baseUrl,
    model: 'small',
    apiKey: undefined,
    timeout: 50_000,
    clock: realClock,
    ...options,
  })

async function ask(
  model: ChatModel,
  request: Partial<ChatRequest> = {},
  signal = new AbortController().signal,
): Promise<unknown[]> {
  const deltas: unknown[] = []
  for await (const delta of model.complete({ ...question, ...request }, signal)) deltas.push(delta)
  return deltas
}

test('streams text and sends the whole request and nothing else', async () => {
  const server = await startModelServer({ say: ['We ', 'are ', '', 'open.'] })
  expect(await ask(modelAt(`${server.url}/`))).toEqual([
    { type: 'text', text: 'We ' },
    { type: 'text', text: 'are ' },
    { type: 'text', text: 'open.' },
  ])
  const [{ path, body } = expect.fail()] = server.requests
  expect(path).toBe('/v1/chat/completions')
  expect(body).toEqual({
    model: 'small',
    stream: true,
    temperature: 0.5,
    max_tokens: 100,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'When?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 't1', content: '{"b":2}' },
    ],
  })
})

describe('a server that responds with JSON instead of a stream', () => {
  const json = (message: object, rest: object = { finish_reason: 'stop' }) =>
    JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message, ...rest }] }, null, 2)

  test.each([
    ['with a reason to stop', { finish_reason: 'stop' }],
    ['without one', {}],
  ])('is understood (%s)', async (_, rest) => {
    const server = await startModelServer({ raw: json({ role: 'assistant', content: 'We are open.' }, rest) })
    expect(await ask(modelAt(server.url))).toEqual([{ type: 'text', text: 'We are open.' }])
  })

  test('may call tools, with or without ids', async () => {
    const call = (name: string, id?: string) => ({
      id,
      type: 'function',
      function: { name, arguments: '{"a":1}' },
    })
    const tool_calls = [call('look', 'c1'), call('book'), call('book')]
    const server = await startModelServer({ raw: json({ role: 'assistant', content: null, tool_calls }) })
    expect(await ask(modelAt(server.url))).toEqual(
      [
        ['c1', 'look'],
        ['call-1', 'book'],
        ['call-2', 'book'],
      ].map(([id, name]) => ({ type: 'tool-call', call: { id, name, arguments: '{"a":1}' } })),
    )
  })

  test.each([
    ['an error', '{"error":{"message":"overloaded"}}', 'overloaded'],
    ['JSON that is cut off', '{"choices":[{"message":{"content":"We', 'response is not JSON'],
    ['another document', '{"hello":"world"}', 'ended early'],
  ])('fails with %s', async (_, raw, reason) => {
    const server = await startModelServer({ raw })
    await expect(ask(modelAt(server.url))).rejects.toThrow(reason)
  })
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('a server that compresses unasked (%s) is understood', async (encoding, compress) => {
  const stream = 'data: {"choices":[{"delta":{"content":"Yes"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(compress(stream))
  })
  const { origin } = await listenOnLoopback(server)
  expect(await ask(modelAt(origin))).toEqual([{ type: 'text', text: 'Yes' }])
})

describe('a stream in another encoding', () => {
  const stream =
    'data: {"choices":[{"delta":{"content":"Grüße, €5"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  const replyTo = async (contentType: string, bytes: Buffer, partSize = bytes.length) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': contentType })
      for (let start = 0; start < bytes.length; start += partSize)
        response.write(bytes.subarray(start, start + partSize))
      response.end()
    })
    const { origin } = await listenOnLoopback(server)
    return ask(modelAt(origin))
  }

  test.each([
    ['text/event-stream', 'utf-8', stream],
    ['text/event-stream', 'utf-8', `\ufeff${stream}`],
    ['text/event-stream', 'utf-16le', `\ufeff${stream}`],
    ['text/event-stream', 'utf-16be', stream],
    ['text/event-stream; charset=utf-16', 'utf-16be', stream],
    ['text/event-stream; charset="windows-1252"', 'windows-1252', stream],
    ['text/event-stream;charset=ISO-8859-15', 'iso-8859-15', stream],
    ['text/event-stream; charset=iso-8859-1', 'utf-8', stream],
    ['application/json; charset=gbk', 'gbk', '{"choices":[{"message":{"content":"联通 €"}}]}'],
  ])('%s is read as %s', async (contentType, encoding, text) => {
    for (const partSize of [1, 7, 10_000])
      expect(await replyTo(contentType, encodeText(text, encoding), partSize)).toEqual([
        { type: 'text', text: encoding === 'gbk' ? '联通 €' : 'Grüße, €5' },
      ])
  })

  test.each([
    ['text/event-stream', encodeText(stream, 'windows-1252'), 'bytes that are not UTF-8'],
    ['text/event-stream; charset=gbk', Buffer.from(stream.replace('ü', '\xff'), 'latin1'), 'not gbk'],
    ['text/event-stream; charset=klingon', Buffer.from(stream), 'klingon'],
  ])('%s that is not what it says is refused', async (contentType, bytes, reason) => {
    await expect(replyTo(contentType, bytes)).rejects.toThrow(reason)
  })
})

test('puts tool calls together from their pieces, in order, with an id each', async () => {
  const server = await startModelServer(
    {
      calls: [
        { call: 'look', with: { day: '2026-03-04', note: 'a “b” c' } },
        { call: 'book', with: {} },
      ],
    },
    {
      raw: `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"x","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}\n\n`,
    },
  )
  const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }]
  const deltas = await ask(modelAt(server.url), { tools })
  expect(deltas).toEqual([
    {
      type: 'tool-call',
      call: { id: 'call_look', name: 'look', arguments: '{"day":"2026-03-04","note":"a “b” c"}' },
    },
    { type: 'tool-call', call: { id: 'call_book', name: 'book', arguments: '{}' } },
  ])
  expect(server.requests[0]?.body.tools).toEqual([
    { type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } },
  ])
  expect(await ask(modelAt(server.url))).toEqual([
    { type: 'tool-call', call: { id: 'call-1', name: 'x', arguments: '{}' } },
  ])
})

test('sends its key, and none of the environment', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'from-environment')
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/from-environment')
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await startModelServer({ say: 'ok' })
  await ask(modelAt(server.url, { apiKey: 'key-of-mine' }))
  await ask(modelAt(server.url))
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer key-of-mine',
    undefined,
  ])
  expect(JSON.stringify(server.requests)).not.toContain('from-environment')
})

test.each([
  ['', '/chat/completions'],
  ['/', '/chat/completions'],
  ['/v1//', '/v1/chat/completions'],
  ['/v1?version=2', '/v1/chat/completions?version=2'],
])('the base URL …%s is asked at %s', async (base, path) => {
  const server = await startModelServer({ say: 'ok' })
  await ask(modelAt(new URL(server.url).origin + base))
  expect(server.requests[0]?.path).toBe(path)
})

test('sends the user name and password of a URL unless there is a key', async () => {
  const server = await startModelServer({ say: 'ok' })
  const url = server.url.replace('//', '//ada:pass%40word@')
  await ask(modelAt(url))
  await ask(modelAt(url, { apiKey: 'key-of-mine' }))
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Basic ${Buffer.from('ada:pass@word').toString('base64')}`,
    'Bearer key-of-mine',
  ])
})

test('no redirect is followed: the key stays with the server that it is for', async () => {
  const elsewhere = await startModelServer({ say: 'ok' })
  const server = await startModelServer({
    status: 307,
    headers: { location: `${elsewhere.url}/chat/completions` },
  })
  await expect(ask(modelAt(server.url, { apiKey: 'key-of-mine' }))).rejects.toThrow('which is not followed')
  expect(elsewhere.requests).toEqual([])
})

test('repairs tool calls that are not objects or have no name before sending them back', async () => {
  const server = await startModelServer({ say: 'ok' })
  const toolCalls = [
    { id: 'a', name: 'look', arguments: '{"day":' },
    { id: 'b', name: 'look up!', arguments: '' },
    { id: 'c', name: '', arguments: '{"day": 1}' },
  ]
  await ask(modelAt(server.url), { messages: [{ role: 'assistant', content: 'One moment.', toolCalls }] })
  expect(server.requests[0]?.body.messages[0]?.tool_calls?.map(call => call.function)).toEqual([
    { name: 'look', arguments: '{}' },
    { name: 'look_up_', arguments: '{}' },
    { name: 'unknown', arguments: '{"day": 1}' },
  ])
})

test('chunks without choices and a finish by length are fine', async () => {
  const chunk = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
  const server = await startModelServer({
    raw: [
      ': a comment\n\n',
      chunk({ choices: [] }),
      chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: null } }] }),
      chunk({ choices: [{ index: 0, delta: { content: 'Yes' }, finish_reason: 'length' }] }),
      chunk({ choices: [], usage: { total_tokens: 3 } }),
      'data: [DONE]\n\n',
    ].join(''),
  })
  expect(await ask(modelAt(server.url))).toEqual([{ type: 'text', text: 'Yes' }])
})

const yes = 'data: {"choices":[{"index":0,"delta":{"content":"Yes"}}]}\n\n'
const stop = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'

test.each<[string, ModelAnswer]>([
  ['the last event alone', { raw: `${yes}data: [DONE]\n\n` }],
  ['the reason alone', { raw: yes + stop }],
  ['the reason, and a reset', { raw: yes + stop, after: 'reset' }],
  ['the last event, and no end', { raw: `${yes}data: [DONE]\n\n`, after: 'hang' }],
])('a response is complete with %s', async (_what, given) => {
  const server = await startModelServer(given)
  const clock = patientClock()
  expect(await ask(modelAt(server.url, { clock }))).toEqual([{ type: 'text', text: 'Yes' }])
  if (typeof given === 'object' && 'raw' in given && given.after === 'hang') {
    clock.pass()
    await server.requests[0]?.left
  }
})

describe('describes an error in one sentence', () => {
  const endless = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(70_000)}"}}]}\n\n`.repeat(4)
  test.each<[string, ModelAnswer, string]>([
    ['500', { status: 500, message: 'overloaded' }, 'the model responded 500: overloaded'],
    [
      '401',
      { status: 401, message: 'no such key: key-of-mine' },
      'the model responded 401: no such key: [redacted]',
    ],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      'the model responded 302, a redirect, which is not followed',
    ],
    ['the stream ends', { breakOff: 'We are ', how: 'end' }, 'the model’s response ended early'],
    ['the stream is reset', { breakOff: 'We are ', how: 'reset' }, 'the model’s response was interrupted: '],
    ['the connection is reset', 'reset', 'the model cannot be reached: '],
    [
      'an error in the stream',
      { raw: 'data: {"error":{"message":"out of memory"}}\n\n' },
      'the model failed in the middle: out of memory',
    ],
    ['no JSON in the stream', { raw: 'event: x\ndata: {nonsense\n\n' }, 'the model’s response is not JSON'],
    ['no stream', { raw: '<html></html>' }, 'the model’s response ended early'],
    [
      'an error event',
      { raw: 'event: error\ndata: {"message":"out of memory"}\n\n' },
      'the model failed in the middle: out of memory',
    ],
    [
      'an error of another shape',
      { status: 422, body: '{"detail":"no such model"}' },
      'the model responded 422: no such model',
    ],
    ['an error that speaks of time', { status: 504, body: 'upstream timed out' }, '504: upstream timed out'],
    ['a page', { status: 502, body: '<html>Bad Gateway</html>' }, 'the model responded 502'],
    ['nothing', { status: 204 }, 'the model responded 204 without a body'],
    ['a chunk of another shape', { raw: 'data: {"choices":[null]}\n\n' }, 'unknown format'],
    ['a chunk that is null', { raw: 'data: null\n\n' }, 'unknown format'],
    ['a line without end', { raw: `data: ${'x'.repeat(2_000_000)}`, after: 'hang' }, 'a line without end'],
    [
      'chunks without end',
      { raw: `data: {"choices":[],"x":"${'x'.repeat(500_000)}"}\n\n`.repeat(40), after: 'hang' },
      'the model does not stop sending',
    ],
    ['text without end', { raw: endless }, 'the model does not stop talking'],
  ])('%s', async (_what, given, message) => {
    const server = await startModelServer(given)
    const failure = await ask(modelAt(server.url, { apiKey: 'key-of-mine' })).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ModelFailure)
    expect(String(failure)).toContain(message)
    expect(String(failure)).not.toContain('key-of-mine')
    expect(server.requests).toHaveLength(1)
  })

  test.each([
    ['SSH-2.0-OpenSSH_9.6\r\n', 'the model cannot be reached: the response is not HTTP'],
    [
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'the model responded 101',
    ],
  ])('no response of HTTP, such as %j', async (bytes, message) => {
    const server = createServer().on('request', ({ socket }) => socket.end(bytes))
    const { origin } = await listenOnLoopback(server)
    expect(await ask(modelAt(origin)).catch(String)).toBe(`ModelFailure: ${message}`)
  })

  test('missing server', async () => {
    const closed = await refusingOrigin()
    const model = modelAt(`${closed.replace('//', '//ada:password@')}/v1?code=query-of-mine`)
    const failure = await ask(model).catch(String)
    expect(failure).toBe('ModelFailure: the model cannot be reached: connection refused')
  })

  test.each([
    ['nonsense?code=secret-of-mine', undefined, 'not an http or https URL'],
    ['file:///secret-of-mine', undefined, 'not an http or https URL'],
    ['http://127.0.0.1:1/v1', 'secret-of-mine\n', 'characters that no header can hold'],
  ])('%j cannot be asked', async (baseUrl, apiKey, message) => {
    const failure = await ask(modelAt(baseUrl, { apiKey })).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ModelFailure)
    expect(String(failure)).toContain(message)
    expect(String(failure)).not.toContain('secret-of-mine')
  })

  test('tool calls without end', async () => {
    const calls = Array.from({ length: 65 }, () => ({ call: 'look', with: {} }))
    const server = await startModelServer({ calls })
    await expect(ask(modelAt(server.url))).rejects.toThrow('does not stop calling tools')
  })
})

test.each<ModelAnswer>(['hang', { hangAfter: 'We are ' }])(
  'silence is given up after its time: %j',
  async given => {
    const server = await startModelServer(given)
    const clock = patientClock()
    const model = modelAt(server.url, { clock, timeout: 2000 })
    const heard: string[] = []
    const asking = (async () => {
      for await (const delta of model.complete(question, new AbortController().signal)) {
        if (delta.type === 'text') heard.push(delta.text)
        if (heard.length === 2) clock.pass()
      }
    })()
    asking.catch(() => undefined)
    await server.received(1)
    if (given === 'hang') clock.pass()
    await expect(asking).rejects.toThrow('the model sent nothing for 2 seconds')
    expect(new Set(clock.slept)).toEqual(new Set([2000, 8000]))
    await server.requests[0]?.left
  },
)

test('gives up on a model that never finishes after four messages', async () => {
  const server = await startModelServer({ hangAfter: 'We are ' })
  let over = () => {}
  const clock = {
    now: () => 0,
    sleep: (milliseconds: number) =>
      new Promise<void>(resolve => {
        if (milliseconds === 8000) over = resolve
      }),
  }
  const asking = (async () => {
    let heard = 0
    const model = modelAt(server.url, { clock, timeout: 2000 })
    for await (const _ of model.complete(question, new AbortController().signal)) {
      heard += 1
      if (heard === 2) over()
    }
  })()
  await expect(asking).rejects.toThrow('the model came to no end within 8 seconds')
  await server.requests[0]?.left
})

test('a reader that stops early ends the request', async () => {
  const server = await startModelServer({ hangAfter: 'We are ' })
  for await (const _ of modelAt(server.url).complete(question, new AbortController().signal)) break
  await server.requests[0]?.left
})

test('a stopping listener ends the request', async () => {
  const server = await startModelServer({ hangAfter: 'We are ' })
  const stop = new AbortController()
  const heard: string[] = []
  const asking = (async () => {
    for await (const delta of modelAt(server.url).complete(question, stop.signal)) {
      if (delta.type === 'text') heard.push(delta.text)
      if (heard.length === 2) stop.abort(new Error('enough'))
    }
  })()
  await expect(asking).rejects.toThrow('enough')
  await server.requests[0]?.left
  const already = await ask(modelAt(server.url), {}, AbortSignal.abort(new Error('before'))).catch(String)
  expect(already).toContain('before')
})

describe('schema of the response', () => {
  const answerSchema = { name: 'verdict', schema: { type: 'object', properties: {} } }

  test('goes to the server', async () => {
    const server = await startModelServer({ say: '{}' })
    await ask(modelAt(server.url), { answerSchema })
    expect(server.requests.map(({ body }) => body.response_format)).toEqual([
      { type: 'json_schema', json_schema: { ...answerSchema, strict: true } },
    ])
  })

  test.each([400, 422])('is omitted from then on for a server that rejects it with %i', async status => {
    const server = await startModelServer(({ response_format }) =>
      response_format === undefined ? { say: '{}' } : { status, message: 'response_format is not supported' },
    )
    const model = modelAt(server.url)
    expect(await ask(model, { answerSchema })).toEqual([{ type: 'text', text: '{}' }])
    await ask(model, { answerSchema })
    expect(server.requests.map(({ body }) => body.response_format !== undefined)).toEqual([
      true,
      false,
      false,
    ])
  })

  test('a server that refuses the request without it, too, is asked for it again', async () => {
    const server = await startModelServer({ status: 400, message: 'no such model' })
    const model = modelAt(server.url)
    await expect(ask(model, { answerSchema })).rejects.toThrow('the model responded 400: no such model')
    await expect(ask(model, { answerSchema })).rejects.toThrow(ModelFailure)
    expect(server.requests).toHaveLength(4)
  })

  test.each([401, 429, 500])('a response %i is not a rejection of the schema', async status => {
    const server = await startModelServer({ status })
    await expect(ask(modelAt(server.url), { answerSchema })).rejects.toThrow(ModelFailure)
    expect(server.requests).toHaveLength(1)
  })

  test('does not retry a rejected request without one', async () => {
    const server = await startModelServer({ status: 400 })
    await expect(ask(modelAt(server.url))).rejects.toThrow(ModelFailure)
    expect(server.requests).toHaveLength(1)
  })
})
