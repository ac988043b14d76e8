import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { buildConnector, Client, Dispatcher, Pool } from 'undici'
import { type Sleeper, startTimer } from '../clock.ts'
import { getErrorCode, getErrorReason } from '../error.ts'
import { mapValues } from '../json.ts'
import { createDeferred } from '../queue.ts'
import { formatWait } from '../text/date-time.ts'
import { basicLogin, isCertificateError, isUnreachable, networkReason } from './http.ts'

type Connect = buildConnector.connector

export interface HttpClientOptions {
  readonly connectTimeoutMs?: number | undefined
  /** Longest idle time of a connection that is reused; shorter if the server says when it closes one. */
  readonly maxIdleMs?: number | undefined
  /** Per origin; unlimited by default. */
  readonly maxConnections?: number | undefined
  /** If true, pending requests do not keep the process alive. */
  readonly unref?: boolean | undefined
  /** Called when a connection ends without an announcement of the server and not by this side. */
  readonly onUnexpectedClose?: (() => void) | undefined
  /** Called when a connection has been closed as announced, or by this side. */
  readonly onClose?: (() => void) | undefined
}

export interface OutgoingHttpRequest {
  readonly method: string
  readonly url: URL
  readonly proxy?: URL | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | string | Readable | undefined
  /** If true, the connection ends with the exchange. */
  readonly close?: boolean
}

interface ResponseHead {
  readonly status: number
  /** Names in lower case; repeated headers are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
}

export interface HttpResponse extends ResponseHead {
  /** At most `maxBytes`. */
  readonly body: Buffer
  /** True if the response is longer: its rest is given up with the connection. */
  readonly isCut: boolean
}

export interface StreamedResponse extends ResponseHead {
  /** Must be read to its end or destroyed. Fails with the signal's reason once it aborts, and with network errors. */
  readonly body: Readable
}

export type HttpClient = Awaited<ReturnType<typeof openHttpClient>>

/** With more, pools without connections are dropped: a server may send to many hosts. */
const maxUnusedPools = 64

/** Opens a client over pooled connections. It neither retries nor follows redirects, and has no time limit but the one for connecting. */
export async function openHttpClient({
  connectTimeoutMs = 10_000,
  maxIdleMs,
  maxConnections,
  unref = false,
  onUnexpectedClose,
  onClose,
}: HttpClientOptions = {}) {
  const { buildConnector, Client, Pool } = await import('undici')
  const build = buildConnector({ timeout: connectTimeoutMs })
  // Includes sockets that are still connecting, which undici does not track. A shared signal would retain every socket.
  const sockets = new Set<Socket>()
  const connect: Connect = (options, callback) => {
    const opened: unknown = build(options, (...result) => {
      const [error, socket] = result
      if (error === null && unref) unrefForGood(socket)
      callback(...result)
      if (error === null) skipContinue(socket)
    })
    if (!(opened instanceof Socket)) return
    sockets.add(opened)
    opened.once('close', () => sockets.delete(opened))
  }
  /** Named after the proxy, and not after the Host of the request. */
  const connectToProxy: Connect = (options, callback) => connect({ ...options, servername: '' }, callback)
  const openProxy = (origin: string) =>
    new Client(origin, { connect: connectToProxy, headersTimeout: connectTimeoutMs })
  // By origin. An Agent makes another pool after each connection that closes: twice the time of a request on its own connection.
  const pools = new Map<string, Pool>()
  let maxPools = maxUnusedPools
  const dropUnusedPools = () => {
    for (const [key, { stats }] of pools) if (stats.connected === 0 && stats.size === 0) pools.delete(key)
    maxPools = Math.max(maxUnusedPools, 2 * pools.size)
  }
  const openPool = (key: string, url: URL, proxy: URL | undefined) => {
    if (pools.size >= maxPools) dropUnusedPools()
    const isForwarded = isForwardedBy(proxy, url)
    const pool = new Pool(isForwarded ? proxy.origin : url.origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: isForwarded
        ? connectToProxy
        : proxy === undefined
          ? connect
          : connectThrough(proxy, connect, openProxy),
      connections: maxConnections ?? null,
      pipelining: 1,
      ...(maxIdleMs !== undefined && { keepAliveTimeout: maxIdleMs, keepAliveMaxTimeout: maxIdleMs }),
    })
    pools.set(key, pool)
    pool.on('disconnect', (_origin, _targets, error) =>
      getErrorCode(error) === 'UND_ERR_INFO' ? onClose?.() : onUnexpectedClose?.(),
    )
    return pool
  }
  return {
    dispatch(
      { url, proxy, close = false, ...request }: OutgoingHttpRequest,
      handler: Dispatcher.DispatchHandler,
    ): void {
      const { origin, pathname, search } = url
      const path = pathname + search
      const key = proxy === undefined ? origin : `${proxy.href} ${origin}`
      const pool = pools.get(key) ?? openPool(key, url, proxy)
      const proxyOptions = isForwardedBy(proxy, url)
        ? { path: origin + path, headers: { ...request.headers, host: url.host, ...loginTo(proxy) } }
        : { path }
      pool.dispatch({ ...request, ...proxyOptions, reset: close } as Dispatcher.DispatchOptions, handler)
    },
    async close() {
      await Promise.all([...pools.values()].map(pool => pool.destroy()))
      for (const socket of sockets) socket.destroy(new Error('the client is closed'))
    },
  }
}

interface Sink {
  /** Called when the first byte is about to be written. */
  onSending?(): void
  onHead(head: ResponseHead): void
  /** Returns true if more is taken immediately. */
  onData(chunk: Buffer): boolean
  onEnd(): void
  onError(error: Error): void
}

/** Begins a request, which is aborted even while it waits for a connection. Its response goes to the sink as it comes. */
function startRequest(client: HttpClient, request: OutgoingHttpRequest, sink: Sink) {
  let controller: Dispatcher.DispatchController | undefined
  let aborted: Error | undefined
  client.dispatch(request, {
    onRequestStart(started) {
      controller = started
      if (aborted === undefined) sink.onSending?.()
      else started.abort(aborted)
    },
    onResponseStart(_, status, headers) {
      // An interim response (1xx) precedes the final one.
      if (status >= 200) sink.onHead({ status, headers: joinHeaders(headers) })
    },
    onResponseData(started, chunk) {
      if (!sink.onData(chunk)) started.pause()
    },
    onResponseEnd: () => sink.onEnd(),
    onResponseError(_, error) {
      // undici takes a change of protocol that was not asked for (101) as a broken connection.
      if (error.message !== 'bad upgrade') return sink.onError(withKnownCode(error))
      sink.onHead({ status: 101, headers: {} })
      sink.onEnd()
    },
  })
  return {
    resume: () => controller?.resume(),
    abort(reason: Error) {
      aborted = reason
      controller?.abort(reason)
    },
  }
}

interface SendOptions {
  /** Time from connecting to the last byte of the response. */
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
  readonly clock: Sleeper
}

/** No complete response. */
export interface SendFailure {
  /** Short, and free of secrets. */
  readonly reason: string
  /** True if not one byte of the request was written, so that sending it again repeats nothing. */
  readonly unsent: boolean
  /** True if no connection could be made. A server that does not speak TLS, or is not trusted, is reachable. */
  readonly unreachable: boolean
  /** True if the certificate of the server is not trusted. */
  readonly untrusted: boolean
  readonly isLate: boolean
  readonly cause: unknown
}

/** Sends a request once and reads its response. Never rejects; a request whose signal has aborted is not sent. */
export async function send(
  client: HttpClient,
  request: OutgoingHttpRequest,
  { timeoutMs, maxBytes, signal, clock }: SendOptions,
): Promise<HttpResponse | SendFailure> {
  // Not the streams of undici's `request`, which take as long as the request.
  const chunks: Buffer[] = []
  let size = 0
  let head: ResponseHead = { status: 0, headers: {} }
  let unsent = true
  let isLate = false
  let started: ReturnType<typeof startRequest> | undefined
  const { promise: response, resolve, reject } = createDeferred<HttpResponse>()
  const onEnd = () => {
    const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
    resolve({ ...head, body: body.subarray(0, maxBytes), isCut: size > maxBytes })
  }
  const abort = (reason: Error) => {
    reject(reason)
    started?.abort(reason)
  }
  const onTimeout = () => {
    isLate = true
    abort(new Error(`no response within ${formatWait(timeoutMs)}`))
  }
  // A combined AbortSignal per request would cost as much as reading the response.
  const cancelTimer = startTimer(timeoutMs, onTimeout, clock)
  const onAbort = () => abort(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  try {
    signal?.throwIfAborted()
    started = startRequest(client, request, {
      onSending() {
        unsent = false
      },
      onHead(responseHead) {
        head = responseHead
      },
      onData(chunk) {
        chunks.push(chunk)
        size += chunk.length
        if (size <= maxBytes) return true
        onEnd()
        started?.abort(new Error('the response is too long'))
        return true
      },
      onEnd,
      onError: reject,
    })
    return await response
  } catch (cause) {
    const code = getErrorCode(cause)
    const message = getErrorReason(cause)
    const reason = networkReason(cause) ?? (code === undefined ? message : `${message} (${code})`)
    const untrusted = isCertificateError(code)
    return { reason, unsent, unreachable: unsent && isUnreachable(code), untrusted, isLate, cause }
  } finally {
    cancelTimer()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Sends a request and streams its response. @throws the signal's reason once it aborts, and network errors */
export function streamResponse(
  client: HttpClient,
  request: OutgoingHttpRequest,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  const { promise: response, resolve, reject } = createDeferred<StreamedResponse>()
  let started: ReturnType<typeof startRequest> | undefined
  const body = new Readable({
    read: () => started?.resume(),
    destroy(error, callback) {
      signal.removeEventListener('abort', onAbort)
      started?.abort(error ?? new Error('the rest of the response is not read'))
      reject(error)
      callback(error)
    },
  })
  const onAbort = () => body.destroy(signal.reason)
  // The reader gets the error as well.
  body.on('error', () => {})
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  else
    started = startRequest(client, request, {
      onHead: head => resolve({ ...head, body }),
      onData: chunk => body.push(chunk),
      onEnd: () => body.push(null),
      onError: error => body.destroy(error),
    })
  return response
}

function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return mapValues(headers, (value = '') => (typeof value === 'string' ? value : value.join(', ')))
}

/** Node's codes in the place of those of undici. */
const knownCodes: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
}

/** undici has no code for a response that is not HTTP. */
function withKnownCode(error: Error): Error {
  if (error.name === 'HTTPParserError') return withCode('HPE_INVALID_RESPONSE', error)
  const code = knownCodes[getErrorCode(error) ?? '']
  return code === undefined ? error : withCode(code, error)
}

function withCode(code: string, error: Error): Error {
  return Object.assign(error, { code })
}

/** Plain http is sent to the proxy itself, with the whole URL as its target (RFC 9112, 3.2.2). */
function isForwardedBy(proxy: URL | undefined, { protocol }: URL): proxy is URL {
  return proxy !== undefined && protocol === 'http:'
}

function loginTo(proxy: URL): Record<string, string> {
  const login = basicLogin(proxy)
  return login === undefined ? {} : { 'proxy-authorization': login }
}

/** Connects over a tunnel that the proxy is asked for (RFC 9110, 9.3.6). Not by undici's ProxyAgent, which tries for ever where a proxy closes. */
function connectThrough(proxy: URL, connect: Connect, openProxy: (origin: string) => Client): Connect {
  return (options, callback) => {
    const target = options.port === '' ? `${options.host}:443` : (options.host ?? '')
    openProxy(proxy.origin).dispatch(
      { method: 'CONNECT', path: target, headers: { host: target, ...loginTo(proxy) } },
      {
        onRequestStart() {},
        onRequestUpgrade(_, status, _headers, socket) {
          if (status === 200) return connect({ ...options, httpSocket: socket as Socket }, callback)
          socket.on('error', () => undefined).destroy()
          callback(
            withCode('ERR_PROXY_TUNNEL', new Error(`the proxy refused the connection (${status})`)),
            null,
          )
        },
        onResponseError: (_, error) => callback(tunnelError(error), null),
      },
    )
  }
}

/** undici connects again after an error of its own. */
function tunnelError(error: Error): Error {
  const code = getErrorCode(withKnownCode(error)) ?? ''
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return withCode('ETIMEDOUT', new Error('connection timed out'))
  return /^(UND_ERR_SOCKET|HPE_)/.test(code) ? new Error('the proxy did not send an HTTP response') : error
}

/** undici unrefs idle sockets only, and refs a socket for each request. */
function unrefForGood(socket: Socket): void {
  socket.unref()
  socket.ref = () => socket
}

/** Undici's, the same on all sockets. */
let parserSymbol: symbol | undefined

/** Skips a `100 Continue` that was not asked for, as any client must (RFC 9110, 15.2): undici ends the connection. */
function skipContinue(socket: Socket): void {
  parserSymbol ??= Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser')
  const parser: Parser | undefined = parserSymbol && Reflect.get(socket, parserSymbol)
  if (parser === undefined) return
  const complete = parser.onHeadersComplete
  parser.onHeadersComplete = (status, ...rest) => {
    if (status !== 100) return complete.call(parser, status, ...rest)
    Object.assign(parser, { statusCode: status, headers: [], headersSize: 0 })
    return 1
  }
}

/** The part of undici's parser of responses that is replaced. */
interface Parser {
  onHeadersComplete(status: number, upgrade: boolean, shouldKeepAlive: boolean): number
}
