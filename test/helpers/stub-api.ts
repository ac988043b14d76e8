import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'

export interface StubAnswer {
  readonly status?: number
  readonly json?: unknown
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export interface StubRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as JSON; undefined where there was none. */
  readonly body: unknown
}

export interface StubApi {
  readonly baseUrl: string
  readonly requests: readonly StubRequest[]
  answer(method: string, path: string, answer: StubAnswer): void
  /** Fails if a prepared response was not used. */
  expectAllUsed(): void
  close(): Promise<void>
}

/** A loopback HTTP server that gives prepared responses, and 599 where none was prepared. It is not a sandbox. */
export async function startStubApi(): Promise<StubApi> {
  const requests: StubRequest[] = []
  const prepared: { method: string; path: string; answer: StubAnswer }[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const index = prepared.findIndex(item => item.method === method && item.path === path)
    // What callyard asks before a call: is this a sandbox?
    if (index === -1 && method === 'GET' && path === '/' && headers.authorization === undefined)
      return void response.writeHead(404).end()
    const text = Buffer.concat(chunks).toString('utf8')
    requests.push({ method, path, headers, body: text === '' ? undefined : JSON.parse(text) })
    const [match] = index === -1 ? [] : prepared.splice(index, 1)
    if (match === undefined)
      return void response.writeHead(599).end(`no answer is prepared for ${method} ${path}`)
    const { status = 200, json, body = JSON.stringify(json), headers: extra } = match.answer
    response.writeHead(status, { 'content-type': 'application/json', ...extra }).end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    answer: (method, path, answer) => void prepared.push({ method, path, answer }),
    expectAllUsed: () => expect(prepared, 'prepared answers that were never asked for').toEqual([]),
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
