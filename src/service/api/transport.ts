import { isUtf8 } from 'node:buffer'
import { decodeResponse } from '../../files/text/index.ts'
import { backgroundClock, onNextTurn, type Timekeeper } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { type HttpResponse, openHttpClient, type SendFailure, send } from '../../lib/net/http-client.ts'
import { chooseProxy } from '../../lib/net/proxy.ts'
import type { RawResponse, RequestContext } from './api.ts'
import { joinUrl } from './base-url.ts'
import { createConnections } from './connections.ts'

export const maxResponseBytes = 32 * 1024 * 1024

interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
  readonly signal: AbortSignal | undefined
}

export type Transport = Awaited<ReturnType<typeof openTransport>>

export interface UnusableResponse {
  readonly status: number
  /** Completes "returned". */
  readonly unusable: string
}

const maxConnectMs = 10_000
/** Longest idle time of a connection that is reused: servers close one after five seconds or more. */
const maxIdleMs = 3000

/**
 * A client with connections that are kept alive, through a proxy where the environment says so. `timeoutMs` is for a request from
 * connecting to the last byte.
 */
export async function openTransport(
  base: URL,
  { env, timeoutMs, clock }: { env: Environment; timeoutMs: number; clock: Timekeeper },
) {
  const proxyChoice = chooseProxy(base, env)
  const proxy = proxyChoice && new URL(proxyChoice.url)
  const connections = createConnections(clock)
  const settings = {
    connectTimeoutMs: Math.min(timeoutMs, maxConnectMs),
    maxIdleMs,
  }
  const shared = await openHttpClient({ ...settings, ...connections })
  const single = await openHttpClient(settings)
  return {
    /** Sends a request once: no retry, no redirect. Never rejects. */
    async send({
      signal,
      headers,
      ...request
    }: OutgoingRequest): Promise<RawResponse | UnusableResponse | SendFailure> {
      const { isShared, done } = connections.open()
      const result = await send(
        isShared ? shared : single,
        { ...request, proxy, headers: { ...headers, 'accept-encoding': 'identity' }, close: !isShared },
        { timeoutMs, maxBytes: maxResponseBytes, signal, clock: backgroundClock },
      )
      // undici reuses a connection one turn of the loop after the response: a request before that would open another.
      if (isShared) await new Promise<void>(onNextTurn)
      done()
      return 'status' in result ? readResponse(result) : result
    },
    async close() {
      await Promise.all([shared.close(), single.close()])
    },
  }
}

/** Sends a GET of the base URL, without a key. */
export async function getBase(base: URL, { signal, ...options }: RequestContext & { timeoutMs: number }) {
  const transport = await openTransport(base, options)
  try {
    return await transport.send({
      method: 'GET',
      url: joinUrl(base, '/'),
      headers: { accept: 'application/json', 'user-agent': 'callyard' },
      signal,
    })
  } finally {
    await transport.close()
  }
}

async function readResponse({
  status,
  headers,
  body,
  isCut,
}: HttpResponse): Promise<RawResponse | UnusableResponse> {
  if (status === 101) return { unusable: 'a change of protocol, which callyard did not ask for', status }
  if (isCut) return tooBig(status)
  const encoding = headers['content-encoding']
  let bytes = body
  if (encoding !== undefined) {
    const { decompress } = await import('../../files/text/index.ts')
    const result = decompress(body, encoding, maxResponseBytes)
    if (result.kind === 'too-large') return tooBig(status)
    // A body that does not match its content-encoding is kept: a decompressing proxy may keep the header.
    if (result.kind === 'unknown' && !isUtf8(body))
      return { unusable: `a body whose ${result.coding} encoding cannot be read`, status }
    bytes = result.bytes
  }
  const { text, isGuess } = decodeResponse(bytes, headers['content-type'])
  return { status, headers, body: text, isGuess, bytes }
}

function tooBig(status: number): UnusableResponse {
  return { unusable: `more than ${maxResponseBytes / 1024 / 1024} MB, which is not read`, status }
}
