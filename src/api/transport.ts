import { isUtf8 } from 'node:buffer'
import { setMaxListeners } from 'node:events'
import type { Agent, IncomingMessage } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import type { Environment } from '../lib/environment.ts'
import { codeOf } from '../lib/error.ts'
import { connectTimeout } from '../lib/net/http.ts'
import { chooseProxy } from '../lib/net/proxy.ts'
import type { RawAnswer } from './api.ts'
import { createConnections, maxIdleMs } from './connections.ts'

export const maxAnswerBytes = 32 * 1024 * 1024

interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  readonly signal: AbortSignal
  /** Called when the first byte is about to go out: before that, the service cannot have seen the request. */
  onSending(): void
}

/** A client of HTTP, opened for one origin. */
export type Transport = Awaited<ReturnType<typeof openTransport>>

/** The service answered, and the body cannot be used. The message completes "was answered with". */
export class UnusableAnswer extends Error {
  readonly status: number

  constructor(what: string, status: number) {
    super(what)
    this.status = status
  }
}

/** What a server that says when it closes an idle connection must leave, so that no request meets its end. */
const idleMarginMs = 2000
const maxConnectMs = 10_000

/**
 * Node's own client with connections that are kept alive, through a proxy where the environment says so. One deadline, the
 * caller's signal, covers an exchange from connecting to the last byte.
 */
export async function openTransport(
  base: URL,
  { env, timeoutMs, clock }: { env: Environment; timeoutMs: number; clock: Pick<Clock, 'now'> },
) {
  const isSecure = base.protocol === 'https:'
  const { Agent, request } = await (isSecure ? import('node:https') : import('node:http'))
  const proxy = chooseProxy(base, env)
  const connectTimeoutMs = Math.min(timeoutMs, maxConnectMs)
  const ending = new AbortController()
  // Each tunnel that does not stand yet listens to it.
  setMaxListeners(0, ending.signal)
  const through = { connectTimeoutMs, connectTimeout, signal: ending.signal }
  const tunnel = proxy && { ...(await import('../lib/net/tunnel.ts')), url: new URL(proxy.url) }
  const connections = createConnections(
    settings =>
      tunnel === undefined ? new Agent(settings) : tunnel.createTunnelAgent(tunnel.url, settings, through),
    clock,
  )

  const send = ({ method, url, headers, body, signal, onSending }: OutgoingRequest, agent: Agent) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': String(body.length) }
      const outgoing = request(url, {
        agent,
        method,
        signal,
        timeout: connectTimeoutMs,
        headers: { ...headers, 'accept-encoding': 'identity', ...length },
      })
      let isConnected = false
      const begin = () => {
        isConnected = true
        onSending()
        outgoing.end(body)
      }
      outgoing.on('socket', socket => {
        // A tunnel is handed over when it stands.
        if (outgoing.reusedSocket || proxy !== undefined) begin()
        else socket.once(isSecure ? 'secureConnect' : 'connect', begin)
      })
      outgoing.on('timeout', () => {
        if (!isConnected) outgoing.destroy(connectTimeout())
      })
      outgoing.on('response', answer => {
        const [, idleSeconds] = /timeout=(\d+)/.exec(answer.headersDistinct['keep-alive']?.[0] ?? '') ?? []
        if (Number(idleSeconds) * 1000 < maxIdleMs + idleMarginMs) outgoing.shouldKeepAlive = false
        resolve(answer)
      })
      outgoing.on('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy()
        reject(new UnusableAnswer('a change of protocol, which callwright did not ask for', statusCode))
      })
      outgoing.on('error', error => reject(asNetworkError(error)))
      // Also where Node reports no error; after an answer it changes nothing.
      outgoing.on('close', () => reject(otherSideClosed()))
    })

  return {
    /** One exchange, once: no retry, no redirect. Throws what the network throws, and UnusableAnswer. */
    exchange(outgoing: OutgoingRequest) {
      const { agent, done } = connections.open()
      return orAborted(outgoing.signal, send(outgoing, agent).then(readAnswer).finally(done))
    },
    async close() {
      ending.abort()
      connections.destroy()
    },
  }
}

async function readAnswer(answer: IncomingMessage): Promise<RawAnswer> {
  const status = answer.statusCode ?? 0
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer) {
      if (!Buffer.isBuffer(chunk)) continue
      size += chunk.length
      if (size > maxAnswerBytes) throw tooBig(status)
      chunks.push(chunk)
    }
  } catch (error) {
    throw asNetworkError(error)
  }
  const headers = Object.entries(answer.headersDistinct).map(([name, values]) => [
    name,
    values?.join(', ') ?? '',
  ])
  const bytes = await decompressed(Buffer.concat(chunks), answer.headers['content-encoding'], status)
  return { status, headers: Object.fromEntries(headers), body: decode(bytes), bytes }
}

/** A body that does not match its content-encoding is taken as it is: a decompressing proxy may leave the header. */
async function decompressed(body: Buffer, encoding: string | undefined, status: number): Promise<Buffer> {
  if (encoding === undefined) return body
  const { decompress } = await import('../lib/net/decompress.ts')
  const result = decompress(body, encoding, maxAnswerBytes)
  if (result.kind === 'too-large') throw tooBig(status)
  if (result.kind === 'unknown' && !isUtf8(body))
    throw new UnusableAnswer(`a body whose ${result.coding} encoding cannot be read`, status)
  return result.bytes
}

function tooBig(status: number): UnusableAnswer {
  return new UnusableAnswer(`more than ${maxAnswerBytes / 1024 / 1024} MB, which is not read`, status)
}

/** Node reports the end of a connection that the other side closed as a reset, without a call of the system. */
function asNetworkError(error: unknown): unknown {
  if (codeOf(error) !== 'ECONNRESET' || (error instanceof Error && 'syscall' in error)) return error
  return otherSideClosed()
}

function otherSideClosed(): Error {
  return Object.assign(new Error('the other side closed'), { code: 'UND_ERR_SOCKET' })
}

/** Old gateways send error pages in another encoding. */
function decode(bytes: Buffer): string {
  return isUtf8(bytes) ? new TextDecoder().decode(bytes) : new TextDecoder('windows-1252').decode(bytes)
}

/** The work, or a rejection as soon as the signal says so: Node notices only once there is a socket. */
async function orAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}
