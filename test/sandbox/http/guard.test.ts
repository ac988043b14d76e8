import { request } from 'node:http'
import { expect, test } from 'vitest'
import { startTestSandbox } from '../../helpers/test-sandbox.ts'

const startCall = '/calls/v1/conversations'

/** With headers that fetch does not send. */
function post(
  port: number,
  headers: Record<string, string>,
  path = startCall,
  method = 'POST',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers })
    sent.on('response', response => resolve(response.resume().statusCode ?? 0))
    sent.on('error', reject).end(method === 'GET' ? undefined : '{}')
  })
}

test.each([
  { origin: 'https://page.example.com' },
  { origin: 'null' },
  { origin: 'http://rebound.example.com', host: 'rebound.example.com' },
  { host: 'rebound.example.com' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', 'content-type': 'text/plain' },
])('rejects a POST of another web page without evicting a listed request: %j', async headers => {
  const { port, send, first } = await startTestSandbox()
  await send('GET', '/own')
  for (const path of [startCall, '/', '/nowhere', '/assistants/v1/tools'])
    expect(await post(port, headers, path)).toBe(403)
  expect(first.requests.list().map(({ path }) => path)).toEqual(['/own'])
})

test.each(['/', '/openapi.json'])('GET %s is open to programs, not to other web pages', async path => {
  const { port } = await startTestSandbox()
  expect(await post(port, {}, path, 'GET')).toBe(200)
  for (const headers of [{ origin: 'https://page.example.com' }, { host: 'rebound.example.com' }])
    expect(await post(port, headers, path, 'GET')).toBe(403)
})

test('rejects a page of another origin even with a key', async () => {
  const { port, apiKey, first } = await startTestSandbox()
  const headers = { authorization: `Bearer ${apiKey}`, origin: 'https://page.example.com' }
  expect(await post(port, headers)).toBe(403)
  expect(first.requests.list()).toEqual([])
})

test('a program may use the sandbox by any name with a key, and by its own without one', async () => {
  const { port, apiKey, first } = await startTestSandbox({ publicUrl: 'http://sandbox.example.com:4010' })
  expect(await post(port, { host: 'other.example.com', authorization: `Bearer ${apiKey}` })).toBe(415)
  expect(await post(port, { host: 'other.example.com', authorization: 'Bearer wrong' })).toBe(403)
  for (const host of [
    'sandbox.example.com:4010',
    'localhost',
    `127.0.0.1:${port}`,
    '192.0.2.1',
    '[::1]:4010',
  ])
    expect(await post(port, { host })).toBe(401)
  expect(first.requests.list()).toHaveLength(6)
})

test('the control API is open to its page and to programs, not to other pages or rebound names', async () => {
  const { port, baseUrl, controlToken } = await startTestSandbox()
  const status = (headers: Record<string, string>) =>
    post(port, { authorization: `Bearer ${controlToken}`, ...headers }, '/__sandbox/clock', 'GET')
  for (const headers of [
    { origin: 'https://example.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    ...['evil.example.test', `evil.example.test:${port}`, 'localhost.example.test'].map(host => ({ host })),
  ])
    expect(await status(headers), JSON.stringify(headers)).toBe(403)
  expect(await status({ origin: baseUrl, 'sec-fetch-site': 'same-origin' })).toBe(200)
  for (const host of [`localhost:${port}`, `[::1]:${port}`, `127.0.0.2:${port}`])
    expect(await status({ host })).toBe(200)
})
