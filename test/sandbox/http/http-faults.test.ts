import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startTestSandbox, type TestSandbox } from '../../helpers/test-sandbox.ts'

const tools = '/assistants/v1/tools'
const tool = { type: 'function' }
const call = { userNumber: '+12025550123', assistantNumber: '+12025550100', assistant: { name: 'Desk' } }

/** Faults of the endpoints, and how many tools were really made. */
function faultsOf({ events }: TestSandbox) {
  return events.flatMap(event => (event.kind === 'fault' ? [event] : []))
}

test('429 is rejected with Retry-After, and nothing is changed', async () => {
  const sandbox = await startTestSandbox({ httpFaults: { 429: 1 }, seed: 1 })
  const { status, headers, body } = await sandbox.send('POST', tools, tool)
  expect(status).toBe(429)
  expect(headers.get('retry-after')).toBe('1')
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({
    status: 429,
    title: 'Too many requests',
    requestId: headers.get('x-request-id'),
  })
  expect(faultsOf(sandbox)).toEqual([
    { kind: 'fault', fault: '429', requestId: body.requestId, method: 'POST', path: tools },
  ])
  expect(sandbox.events).toContainEqual(expect.objectContaining({ kind: 'request', status: 429 }))
})

test.each(['429', '500'] as const)('%s reaches all seven endpoints and places no call', async fault => {
  const sandbox = await startTestSandbox({ httpFaults: { [fault]: 1 } })
  const requests = [
    ['POST', '/calls/v1/conversations', call],
    ['POST', '/calls/v1/conversations/connect', {}],
    ['POST', '/assistants/v1/assistants', { name: 'Desk' }],
    ['POST', tools, tool],
    ['PATCH', `${tools}/t1`, {}],
    ['POST', '/kb/v1/knowledge-bases/kb/faq-template', { faq: [] }],
    ['PUT', '/kb/v1/knowledge-bases/kb/faq-template', { faq: [] }],
  ] as const
  for (const [method, path, body] of requests) {
    const answer = await sandbox.send(method, path, body)
    expect(answer.status, path).toBe(Number(fault))
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  }
  expect(faultsOf(sandbox)).toHaveLength(7)
  expect(sandbox.events.filter(({ kind }) => kind === 'call')).toEqual([])
})

test('responds as usual to a wrong key, an unknown path, a wrong method and the control URL', async () => {
  const sandbox = await startTestSandbox({ httpFaults: { 500: 1 } })
  expect((await sandbox.send('POST', tools, tool, { authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await sandbox.send('POST', '/nowhere', {})).status).toBe(404)
  expect((await sandbox.send('GET', tools)).status).toBe(405)
  expect((await sandbox.send('GET', '/calls/v1/conversations/CC-0/control')).status).toBe(404)
  expect(faultsOf(sandbox)).toEqual([])
})

test('a reset loses the response, not the change', async () => {
  const sandbox = await startTestSandbox({ httpFaults: { reset: 1 } })
  await expect(sandbox.send('POST', '/calls/v1/conversations', call)).rejects.toMatchObject({
    cause: { code: 'ECONNRESET' },
  })
  await sandbox.idle()
  expect(sandbox.events.flatMap(event => (event.kind === 'call' ? [event.status] : []))).toEqual([
    'queued',
    'ongoing',
    'finished',
  ])
  expect(faultsOf(sandbox)).toMatchObject([
    { fault: 'reset', method: 'POST', path: '/calls/v1/conversations' },
  ])
  expect(sandbox.events).toContainEqual(expect.objectContaining({ kind: 'request', status: 200 }))
})

test('a hang never responds, changes nothing, and does not block closing', async () => {
  const sandbox = await startTestSandbox({ httpFaults: { hang: 1 } })
  const impatient = await fetch(sandbox.baseUrl + tools, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(tool),
    signal: AbortSignal.timeout(200),
  }).catch((error: Error) => error.name)
  expect(impatient).toBe('TimeoutError')
  const patient = sandbox.send('POST', '/calls/v1/conversations', call).catch(() => 'broken off')
  await expect.poll(() => faultsOf(sandbox).length).toBe(2)
  await sandbox.close()
  expect(await patient).toBe('broken off')
  expect(sandbox.events.filter(({ kind }) => kind !== 'fault')).toEqual([])
})

test('a request that hangs is read to its end, so that a client that leaves is noticed', async () => {
  const sandbox = await startTestSandbox({ httpFaults: { hang: 1 } })
  const sending = httpRequest(sandbox.baseUrl + tools, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
  })
  sending.on('error', () => undefined)
  // More than what the buffers between the two hold.
  sending.end(Buffer.alloc(30_000_000, 0x20))
  await once(sending, 'finish')
  sending.destroy()
})

test('keeps using a connection after a rejection, and replaces it after a reset', async () => {
  const sandbox = await startTestSandbox()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ports = new Set<number | undefined>()
  const post = () =>
    new Promise<number | string | undefined>(resolve => {
      const sending = httpRequest(
        sandbox.baseUrl + tools,
        {
          method: 'POST',
          agent,
          headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
        },
        response => {
          ports.add(response.socket.localPort)
          response.resume().on('end', () => resolve(response.statusCode))
        },
      )
      sending.on('error', error => resolve('code' in error ? String(error.code) : error.message))
      sending.end(JSON.stringify(tool))
    })
  const answers: unknown[] = []
  for (const fault of ['429', '500', 'reset']) {
    sandbox.first.faults.add({ [fault]: 1, times: 1 })
    answers.push(await post(), await post())
  }
  expect(answers).toEqual([429, 200, 500, 200, 'ECONNRESET', 200])
  expect(ports.size).toBe(2)
})

test('an unread large body breaks nothing', async () => {
  const sandbox = await startTestSandbox({ httpFaults: { 429: 1 } })
  const body = { ...tool, server: { url: 'http://127.0.0.1:9/', padding: 'x'.repeat(5_000_000) } }
  expect((await sandbox.send('POST', tools, body)).status).toBe(429)
  expect((await sandbox.send('POST', tools, tool)).status).toBe(429)
})

test('the same seed causes the same faults by the number of the request', async () => {
  const statuses = async (seed: number) => {
    const sandbox = await startTestSandbox({ httpFaults: { 429: 0.5 }, seed })
    const found: number[] = []
    for (let sent = 0; sent < 20; sent += 1) found.push((await sandbox.send('POST', tools, tool)).status)
    return found
  }
  const first = await statuses(5)
  expect(new Set(first)).toEqual(new Set([200, 429]))
  expect(await statuses(5)).toEqual(first)
  expect(await statuses(6)).not.toEqual(first)
})
