import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { completeResponse, createOpenAiModel } from '../../../src/sandbox/model/index.ts'
import { startConnectProxy, startTlsServer } from '../../helpers/connect-proxy.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { realClock } from '../../helpers/real-clock.ts'

const question = {
  messages: [{ role: 'user', content: 'When?' }],
  tools: [],
  temperature: 0,
  maxTokens: 10,
} as const

async function answerOf(baseUrl: string, env: Readonly<Record<string, string>>): Promise<string> {
  const model = createOpenAiModel({
    baseUrl,
    model: 'm',
    apiKey: 'k',
    timeout: 10_000,
    clock: realClock,
    env,
  })
  return (await completeResponse(model, question, new AbortController().signal)).text
}

const stream =
  'data: {"choices":[{"delta":{"content":"At nine."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const models = () => startTlsServer((_, response) => response.end(stream))

/** The certificate of the test is not trusted; here it is taken anyway. */
function trustAll() {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  onTestFinished(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  })
}

test.each(['HTTPS_PROXY', 'https_proxy'])('a model is asked through %s', async variable => {
  trustAll()
  const { port, seen } = await startConnectProxy(await models())
  const env = { [variable]: `http://ada:secret@127.0.0.1:${port}` }
  expect(await answerOf('https://models.example.com/v1', env)).toBe('At nine.')
  expect(seen).toEqual([`CONNECT models.example.com:443 Basic ${btoa('ada:secret')}`])
})

test('NO_PROXY and loopback are asked directly', async () => {
  const { port, seen } = await startConnectProxy(undefined)
  const server = await startModelServer({ say: 'At ten.' })
  const env = { HTTPS_PROXY: `127.0.0.1:${port}`, HTTP_PROXY: `127.0.0.1:${port}`, NO_PROXY: 'invalid' }
  expect(await answerOf(server.url, env)).toBe('At ten.')
  await expect(answerOf('https://models.invalid/v1', env)).rejects.toThrow('the model cannot be reached')
  expect(seen).toEqual([])
})

test('mentions NODE_EXTRA_CA_CERTS for an untrusted certificate', async () => {
  const { port } = await startConnectProxy(await models())
  const failing = answerOf('https://models.example.com/v1', { HTTPS_PROXY: `127.0.0.1:${port}` })
  await expect(failing).rejects.toThrow(/certificate is not trusted \(\w*CERT\w*\); .* NODE_EXTRA_CA_CERTS/)
})

test.each([
  ['refuses', `the proxy refused the connection (407)`, (port: number) => `127.0.0.1:${port}`],
  ['is not a URL', 'the proxy in HTTPS_PROXY is not an http or https URL', () => 'ftp://proxy'],
])('reports a proxy that %s', async (_, reason, proxy) => {
  const { port } = await startConnectProxy(undefined)
  const failing = answerOf('https://models.example.com/v1', { HTTPS_PROXY: proxy(port) })
  await expect(failing).rejects.toThrow(reason)
})

test('plain http is sent to HTTP_PROXY with the whole URL', async () => {
  const seen: unknown[] = []
  const proxy = createServer(({ method, url, headers }, response) => {
    seen.push([method, url, headers.host, headers['proxy-authorization']])
    response.end(stream)
  })
  const { host } = new URL((await listenOnLoopback(proxy)).origin)
  const env = { HTTP_PROXY: `http://ada:secret@${host}`, HTTPS_PROXY: 'http://127.0.0.1:9' }
  expect(await answerOf('http://models.example.com:8080/v1', env)).toBe('At nine.')
  const target = 'http://models.example.com:8080/v1/chat/completions'
  expect(seen).toEqual([['POST', target, 'models.example.com:8080', `Basic ${btoa('ada:secret')}`]])
})
