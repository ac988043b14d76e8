import { isUtf8 } from 'node:buffer'
import { decodeResponse } from '../../files/text/index.ts'
import type { Timekeeper } from '../../lib/clock.ts'
import type { Environment } from '../../lib/environment.ts'
import { getErrorCode } from '../../lib/error.ts'
import { connectTimeout } from '../../lib/net/http.ts'
import { exchange, type HttpResponse, openHttpClient } from '../../lib/net/http-client.ts'
import { chooseProxy } from '../../lib/net/proxy.ts'
import type { RawResponse } from './api.ts'
import { createConnections } from './connections.ts'

export const maxResponseBytes = 32 * 1024 * 1024

interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  readonly signal: AbortSignal
  /** Called when the first byte is about to go out: before that, the service cannot have seen the request. */
  onSending(): void
}

export type Transport = Awaited<ReturnType<typeof openTransport>>

/** Response with an unusable body. The message completes "returned". */
export class UnusableResponse extends Error {
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

const maxConnectMs = 10_000
/** Longest idle time of a connection that is reused: servers close one after five seconds or more. */
const maxIdleMs = 3000

/**
 * A client with connections that are kept alive, through a proxy where the environment says so. One deadline, the caller's signal,
 * covers an exchange from connecting to the last byte.
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
    /** One exchange, once: no retry, no redirect. Throws what the network throws, and UnusableAnswer. */
    async exchange({ method, url, headers, body, signal, onSending }: OutgoingRequest): Promise<RawResponse> {
      const { isShared, done } = connections.open()
      const request = {
        method,
        url,
        proxy,
        headers: { ...headers, 'accept-encoding': 'identity' },
        body,
        close: !isShared,
      }
      try {
        const limits = { maxBytes: maxResponseBytes, signal, onSending }
        return await readResponse(await exchange(isShared ? shared : single, request, limits))
      } catch (error) {
        throw getErrorCode(error) === 'UND_ERR_CONNECT_TIMEOUT' ? connectTimeout() : error
      } finally {
        done()
      }
    },
    async close() {
      await Promise.all([shared.close(), single.close()])
    },
  }
}

async function readResponse({ status, headers, body, isCut }: HttpResponse): Promise<RawResponse> {
  if (status === 101)
    throw new UnusableResponse('a change of protocol, which callyard did not ask for', status)
  if (isCut) throw tooBig(status)
  const bytes = await decompressBody(body, headers['content-encoding'], status)
  const { text, isGuess } = decodeResponse(bytes, headers['content-type'])
  return { status, headers, body: text, isGuess, bytes }
}

/** Keeps a body that does not match its content-encoding: a decompressing proxy may keep the header. */
async function decompressBody(body: Buffer, encoding: string | undefined, status: number): Promise<Buffer> {
  if (encoding === undefined) return body
  const { decompress } = await import('../../files/text/index.ts')
  const result = decompress(body, encoding, maxResponseBytes)
  if (result.kind === 'too-large') throw tooBig(status)
  if (result.kind === 'unknown' && !isUtf8(body))
    throw new UnusableResponse(`a body whose ${result.coding} encoding cannot be read`, status)
  return result.bytes
}

function tooBig(status: number): UnusableResponse {
  return new UnusableResponse(`more than ${maxResponseBytes / 1024 / 1024} MB, which is not read`, status)
}
