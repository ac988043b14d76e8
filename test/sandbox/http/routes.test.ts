import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../helpers/folders.ts'
import { realClock } from '../../helpers/real-clock.ts'
import { startTestSandbox, tool } from '../../helpers/test-sandbox.ts'

const endpoints = [
  ['POST', '/calls/v1/conversations'],
  ['POST', '/calls/v1/conversations/connect'],
  ['POST', '/assistants/v1/assistants'],
  ['POST', '/assistants/v1/tools'],
  ['PATCH', '/assistants/v1/tools/x'],
  ['POST', '/kb/v1/knowledge-bases/x/faq-template'],
  ['PUT', '/kb/v1/knowledge-bases/x/faq-template'],
] as const

const codes = (body: Record<string, unknown>) =>
  (body.errors as { path: string; code: string }[]).map(({ path, code }) => `${path}: ${code}`)

test('every endpoint wants the key, and never says it', async () => {
  const sandbox = await startTestSandbox()
  for (const [method, path] of endpoints) {
    for (const authorization of ['', 'Basic abc', `Bearer ${sandbox.apiKey}x`, 'Bearer']) {
      const { status, headers, body } = await sandbox.send(method, path, {}, { authorization })
      expect(status).toBe(401)
      expect(headers.get('content-type')).toBe('application/problem+json')
      expect(headers.get('www-authenticate')).toBe('Bearer')
      expect(headers.get('x-request-id')).toBe(body.requestId)
      expect(body).toMatchObject({ type: 'about:blank', title: 'Unauthorized', status: 401 })
      expect(JSON.stringify(body)).not.toContain(sandbox.apiKey)
    }
  }
  expect(JSON.stringify(sandbox.events)).not.toContain(sandbox.apiKey)
  expect(sandbox.events).toHaveLength(endpoints.length * 4)
})

test('reads compressed bodies, and refuses other codings', async () => {
  const sandbox = await startTestSandbox()
  const post = async (encoding: string, body: Buffer) => {
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
    const url = `${sandbox.baseUrl}/assistants/v1/tools`
    return fetch(url, { method: 'POST', headers: { ...headers, 'content-encoding': encoding }, body })
  }
  const json = JSON.stringify(tool)
  expect((await post('gzip', gzipSync(json))).ok).toBe(true)
  expect((await post('identity', Buffer.from(`\ufeff${json}`))).ok).toBe(true)
  for (const [encoding, body] of [
    ['zstd', Buffer.from([1, 2, 3])],
    ['gzip', Buffer.from([1, 2, 3])],
    ['deflate', gzipSync(json)],
  ] as const) {
    const refusal = await post(encoding, body)
    expect(refusal.status).toBe(415)
    const problem = encoding === 'zstd' ? 'unsupported content-encoding zstd' : `the body is not ${encoding}`
    expect(await refusal.text()).toContain(problem)
    expect(refusal.headers.get('accept-encoding')).toBe('gzip, deflate, br')
  }
  expect((await post('gzip', gzipSync(Buffer.alloc(11 * 1024 ** 2)))).status).toBe(413)
})

test('the root says which sandbox this is without a key, and is not logged', async () => {
  const sandbox = await startTestSandbox()
  const root = await sandbox.send('GET', '/', undefined, { authorization: '' })
  expect(root).toMatchObject({
    status: 200,
    body: { service: 'callyard sandbox', teamId: expect.stringMatching(/^team-/) },
  })
  expect(JSON.stringify(root.body)).not.toContain(sandbox.apiKey)
  expect(sandbox.events).toEqual([])
})

test('GET /health responds without a key, and is neither logged nor listed', async () => {
  const sandbox = await startTestSandbox()
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await fetch(`${sandbox.baseUrl}/health`, { method })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  }
  expect((await sandbox.send('GET', '/health', undefined, { authorization: '' })).body).toEqual({
    status: 'ok',
  })
  expect(sandbox.events).toEqual([])
  expect(sandbox.first.requests.list()).toEqual([])
})

test('the log says how long a request took', async () => {
  let now = 0
  const ticking = { ...realClock, now: () => (now += 7) }
  const sandbox = await startTestSandbox({ clock: ticking })
  await sandbox.send('GET', '/nowhere')
  expect(sandbox.events).toEqual([
    expect.objectContaining({ kind: 'request', path: '/nowhere', durationMs: expect.any(Number) }),
  ])
  expect(sandbox.events[0]).toMatchObject({
    durationMs: expect.toSatisfy((ms: number) => ms >= 7 && ms % 7 === 0),
  })
})

test('unknown paths are 404, wrong methods 405 with Allow', async () => {
  const sandbox = await startTestSandbox()
  for (const path of ['/calls/v1', '/assistants/v1/tools/a/b', '/kb/v1/knowledge-bases//faq-template']) {
    expect(await sandbox.send('GET', path), path).toMatchObject({ status: 404, body: { status: 404 } })
  }
  const wrong = await sandbox.send('DELETE', '/kb/v1/knowledge-bases/x/faq-template')
  expect(wrong.status).toBe(405)
  expect(wrong.headers.get('allow')).toBe('POST, PUT')
  expect((await sandbox.send('GET', '/assistants/v1/assistants')).headers.get('allow')).toBe('POST')
})

test.each([
  ['not JSON', '{"a":', 'application/json', 400],
  ['nothing', '', 'application/json', 400],
  ['another type', '{}', 'text/plain', 415],
  ['a JSON type with a charset', '{"type":"function"}', 'application/json; charset=utf-8', 200],
  ['not an object', '[]', 'application/json', 422],
])('body that is %s', async (_name, body, type, status) => {
  const sandbox = await startTestSandbox()
  expect(await sandbox.send('POST', '/assistants/v1/tools', body, { 'content-type': type })).toMatchObject({
    status,
  })
})

test('rejects a body that is not UTF-8 or too large', async () => {
  const sandbox = await startTestSandbox()
  const send = async (body: Uint8Array<ArrayBuffer>) => {
    const response = await fetch(`${sandbox.baseUrl}/assistants/v1/tools`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
      body,
    })
    return response.status
  }
  expect(await send(new Uint8Array([0x7b, 0xff, 0x7d]))).toBe(400)
  // One that breaks off within a character leaves nothing behind for the next.
  expect(await send(new Uint8Array([0x7b, 0xe2, 0x82]))).toBe(400)
  const whole = JSON.stringify({ type: 'function', function: { name: 'book', description: 'für 3 €' } })
  expect(await send(new TextEncoder().encode(whole))).toBe(200)
  expect(await tooLarge(sandbox.baseUrl, sandbox.apiKey)).toBe(413)
})

/** Sends without end: the response arrives during the body. */
function tooLarge(baseUrl: string, apiKey: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${baseUrl}/assistants/v1/tools`,
      { method: 'POST', headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' } },
      response => {
        response.resume()
        resolve(response.statusCode)
        request.destroy()
      },
    )
    request.on('error', reject)
    for (let sent = 0; sent < 11; sent += 1) request.write(Buffer.alloc(1024 * 1024, 0x20))
  })
}

test('returns an assistant with defaults, record fields and all sent fields', async () => {
  const sandbox = await startTestSandbox({ vocabulary: { '<provider_2>': 'acme' } })
  const { status, body } = await sandbox.send('POST', '/assistants/v1/assistants', {
    name: 'Desk',
    idleTimeout: 60,
    assistantServer: { url: 'http://127.0.0.1:9/', other: { kept: true } },
    ttsAudioCacheScope: 'global',
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    name: 'Desk',
    welcomeMessage: 'hi',
    welcomeMessageMode: 'automatic',
    welcomeMessageInterruptionsEnabled: false,
    assistantProvider: 'acme',
    assistantModel: '<model_3>',
    assistantTemperature: 0,
    assistantMaxTokens: 256,
    backgroundSound: 'disable',
    backgroundSoundVolume: 50,
    idleTimeout: 60,
    assistantType: 'single_prompt',
    assistantServer: { url: 'http://127.0.0.1:9/', other: { kept: true } },
    ttsAudioCacheScope: 'global',
    _id: expect.any(String),
    teamId: expect.any(String),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    updatedAt: body.createdAt,
  })
})

test('returns all findings of a body with path, pointer and hint', async () => {
  const sandbox = await startTestSandbox()
  const { status, body } = await sandbox.send('POST', '/assistants/v1/assistants', {
    idleTimeout: 3,
    welcomMessage: 'hi',
    endCallPhrases: ['bye'],
  })
  expect(status).toBe(422)
  expect(codes(body).sort()).toEqual([
    'endCallPhrases: needs',
    'idleTimeout: out-of-range',
    'name: missing',
    'welcomMessage: unknown-key',
  ])
  expect(body.errors).toContainEqual({
    path: 'welcomMessage',
    pointer: '#/welcomMessage',
    code: 'unknown-key',
    message: 'welcomMessage is not a known field',
    hint: 'did you mean welcomeMessage?',
  })
})

test('rejects an assistant with missing tools or with webhooks that cannot be sent', async () => {
  const sandbox = await startTestSandbox()
  const { body: tool } = await sandbox.send('POST', '/assistants/v1/tools', { type: 'function' })
  const bad = await sandbox.send('POST', '/assistants/v1/assistants', {
    name: 'Desk',
    assistantToolIds: [tool._id, 'nope'],
    assistantServer: { url: 'http://example.test/', timeoutSeconds: 0 },
  })
  expect(codes(bad.body)).toEqual([
    'assistantToolIds[1]: not-found',
    'assistantServer.timeoutSeconds: out-of-range',
  ])
  const shape = await sandbox.send('POST', '/calls/v1/conversations', {
    userNumber: '+12025550101',
    assistantNumber: '+12025550102',
    assistant: { assistantServer: { messages: 'status-update' } },
  })
  expect(codes(shape.body)).toEqual(['assistant.assistantServer.messages: wrong-type'])
})

test.each<[Record<string, unknown> | null, string, string]>([
  [{ url: null }, 'assistantServer.url is empty (null)', 'an http:// or https:// URL'],
  [
    { url: 'ftp://example.test/' },
    'assistantServer.url is "ftp://example.test/"',
    'an http:// or https:// URL',
  ],
  [{ messages: null }, 'assistantServer.messages is empty (null)', 'a list, each item text'],
  [{ headers: { a: 0 } }, 'assistantServer.headers.a is 0', 'text'],
  [{ timeoutSeconds: 0 }, 'assistantServer.timeoutSeconds is 0', 'a number above 0'],
  [{ timeoutSeconds: null }, 'assistantServer.timeoutSeconds is empty (null)', 'a number above 0'],
  [{ enabled: null }, 'assistantServer.enabled is empty (null)', 'true or false'],
  [null, 'assistantServer is empty (null)', 'a mapping'],
])(
  'rejects assistantServer %j with the value and the allowed ones',
  async (assistantServer, found, allowed) => {
    const sandbox = await startTestSandbox()
    const own = await sandbox.send('POST', '/assistants/v1/assistants', { name: 'Desk', assistantServer })
    expect(own).toMatchObject({ status: 422, body: { detail: `${found}; allowed: ${allowed}` } })
    expect(own.body.errors).toHaveLength(1)
    const inline = await sandbox.send('POST', '/calls/v1/conversations', {
      userNumber: '+12025550101',
      assistantNumber: '+12025550102',
      assistant: { assistantServer },
    })
    expect(inline.body.detail).toBe(`assistant.${found}; allowed: ${allowed}`)
  },
)

test.each(['/assistants/v1/tools', '/calls/v1/conversations', '/assistants/v1/assistants'])(
  'rejects a body to %s that is nested too deep, and stores nothing',
  async path => {
    const sandbox = await startTestSandbox({ data: join(await temporaryFolder(), 'records.ndjson') })
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const body = (levels: number) =>
      `{"name":"x","type":"function","userNumber":"+12025550101","assistantNumber":"+12025550102","metadata":{"a":${nested(levels)}},"function":{"a":${nested(levels)}}}`
    for (const levels of [300, 100_000]) {
      const { status, headers, body: problem } = await sandbox.send('POST', path, body(levels))
      expect([status, headers.get('content-type')]).toEqual([422, 'application/problem+json'])
      expect(codes(problem)).toEqual(['the document: too-deep'])
    }
  },
)

test.each([
  ['"__proto__":{}', '__proto__'],
  ['"function":{"a":[{"\\u005f_proto__":1}]}', 'function.a[0].__proto__'],
])('rejects a field called __proto__: %s', async (field, path) => {
  const sandbox = await startTestSandbox()
  const { status, body } = await sandbox.send('POST', '/assistants/v1/tools', `{"type":"function",${field}}`)
  expect([status, codes(body)]).toEqual([422, [`${path}: unknown-key`]])
})

test('stores a body with the deepest allowed nesting', async () => {
  const sandbox = await startTestSandbox()
  const levels = 98
  const body = `{"type":"function","function":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
  expect((await sandbox.send('POST', '/assistants/v1/tools', body)).status).toBe(200)
})

test('a tool is created with its default and changed field by field', async () => {
  const sandbox = await startTestSandbox()
  const server = { url: 'http://127.0.0.1:9/tool', timeoutSeconds: 5 }
  const { body: tool } = await sandbox.send('POST', '/assistants/v1/tools', { type: 'function', server })
  expect(tool).toMatchObject({ type: 'function', async: false, server, _id: expect.any(String) })
  const changed = await sandbox.send('PATCH', `/assistants/v1/tools/${tool._id}`, { async: true })
  expect(changed.body).toEqual({ ...tool, async: true, updatedAt: expect.any(String) })
  const typed = await sandbox.send('PATCH', `/assistants/v1/tools/${tool._id}`, { type: 'function' })
  expect([typed.status, codes(typed.body)]).toEqual([422, ['type: unknown-key']])
  expect((await sandbox.send('PATCH', '/assistants/v1/tools/nope', { async: true })).status).toBe(404)
  expect((await sandbox.send('POST', '/assistants/v1/tools', { type: 'other' })).status).toBe(422)
})

test('FAQ entries get ids, and an update is done whole or not at all', async () => {
  const sandbox = await startTestSandbox()
  const path = '/kb/v1/knowledge-bases/front%20desk/faq-template'
  const entry = { question: 'Open?', answer: 'Yes.' }
  expect((await sandbox.send('PUT', path, { faq: [{ id: '1', ...entry }] })).status).toBe(404)
  const { body } = await sandbox.send('POST', path, {
    faq: [
      { ...entry, category: 'hours', updatable: true },
      { question: 'Parking?', answer: 'Behind.' },
    ],
  })
  const [first, second] = body.faq as { id: string; question: string; answer: string }[]
  expect(first).toEqual({ ...entry, category: 'hours', updatable: true, id: expect.any(String) })
  expect(second?.id).not.toBe(first?.id)
  const half = await sandbox.send('PUT', path, {
    faq: [
      { ...first, answer: 'CHANGED' },
      { id: 'nope', ...entry },
      { id: second?.id, ...entry },
      { id: second?.id, ...entry },
    ],
  })
  expect([half.status, codes(half.body)]).toEqual([422, ['faq[1].id: not-found', 'faq[3].id: duplicate']])
  const update = await sandbox.send('PUT', path, { faq: [{ id: first?.id, ...entry }] })
  expect(update.body).toEqual({ faq: [{ ...entry, category: 'hours', updatable: true, id: first?.id }] })
  expect((await sandbox.send('POST', path, { faq: [{ id: 'own', ...entry }] })).status).toBe(422)
})

test('takes ids from the given source', async () => {
  let count = 0
  const sandbox = await startTestSandbox({
    newId: () => {
      count += 1
      return `id-${count}`
    },
  })
  const first = await sandbox.send('POST', '/assistants/v1/tools', { type: 'function' })
  const second = await sandbox.send('POST', '/assistants/v1/tools', { type: 'function' })
  expect([first.body._id, second.body._id]).toEqual(['id-1', 'id-2'])
})

test('a port in use is an immediate error', async () => {
  const sandbox = await startTestSandbox()
  await expect(startTestSandbox({ port: sandbox.port })).rejects.toMatchObject({
    kind: 'conflict',
    code: 'port-taken',
    details: { port: sandbox.port },
  })
})

test('a port that cannot be is an error of the sandbox', async () => {
  await expect(startTestSandbox({ port: 70_000 })).rejects.toMatchObject({
    kind: 'usage',
    code: 'sandbox-cannot-listen',
  })
})

test('the control URL lists its commands', async () => {
  const sandbox = await startTestSandbox()
  const { body: call } = await sandbox.send('POST', '/calls/v1/conversations', {
    userNumber: '+12025550101',
    assistantNumber: '+12025550102',
    assistant: {},
  })
  const refused = async (body: unknown) =>
    (await sandbox.send('POST', `/calls/v1/conversations/${call.sid}/control`, body)).body
  expect(await refused({ type: 'hang-up' })).toMatchObject({
    detail: 'type is "hang-up"; allowed: one of say, interrupt, keys, silence, hangup',
    hint: 'did you mean hangup?',
  })
  expect(await refused({})).toMatchObject({
    detail: 'type is missing',
    hint: 'add type: one of say, interrupt, keys, silence, hangup',
  })
})
