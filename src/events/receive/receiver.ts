import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { acceptedResponse } from '../../interface/words.ts'
import type { Clock } from '../../lib/clock.ts'
import { atMost } from '../../lib/clock.ts'
import { CallyardError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { urlHost } from '../../lib/net/address.ts'
import { type BodyFailure, createBodyReader } from '../../lib/net/body-reader.ts'
import { listen } from '../../lib/net/listen.ts'
import { maxOpenBytes } from '../../lib/net/open-bodies.ts'
import { defaultMaxBodyBytes, type Rejection, tooLarge } from '../conversation/index.ts'
import type { DeliveryResult, EventSink, EventSource, RunningSource } from './event-source.ts'
import { createGuard, type GuardOptions } from './guard.ts'

export interface ReceiverOptions extends Omit<GuardOptions, 'maxBodyBytes'> {
  /** Default: 10 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** 0 picks a free one. */
  readonly port: number
  readonly clock: Clock
  /** If true, neither the server nor its connections keep the process alive. */
  readonly unref?: boolean | undefined
  /** Responds to a request that has no event; returns false for a request that it leaves alone. Called first. */
  readonly serve?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
}

export interface Receiver extends RunningSource {
  readonly address: string
  readonly port: number
  /** Accepts events addressed to this host too, such as a tunnel's. */
  allowHost(host: string): void
}

/** The HTTP receiver as the source of a tail. */
export function receiveOverHttp(options: ReceiverOptions): EventSource<Receiver> {
  return { start: sink => startReceiver(options, sink) }
}

/** Milliseconds that running requests may take after the receiver closes. */
const drainTime = 5000
const acceptedBody = JSON.stringify(acceptedResponse)
const acceptedHead = { 'content-type': 'application/json', 'content-length': String(acceptedBody.length) }

/**
 * Receives events over HTTP (interface.md 4.8). Responds with 200 `{ message }` as soon as the sink has accepted them, with 503 while
 * it is busy, and with the rejection of a malformed body.
 * @throws CallyardError `conflict` when the port is in use, `usage` when the address cannot be listened on.
 */
export async function startReceiver(options: ReceiverOptions, sink: EventSink): Promise<Receiver> {
  const { maxBodyBytes = defaultMaxBodyBytes } = options
  const sockets = new Set<Socket>()
  const { check, allowHost } = createGuard({ ...options, maxBodyBytes })
  const bodies = createBodyReader({
    clock: options.clock,
    maxOpenBytes: Math.max(maxOpenBytes, 2 * maxBodyBytes),
  })
  /** Connections whose event is being stored. */
  const storing = new Set<Socket>()
  let closing = false

  const server = createServer({
    headersTimeout: 10_000,
    // How long a body may take depends on its size: the reader of bodies cuts the slow ones.
    requestTimeout: 0,
    connectionsCheckingInterval: 5000,
    keepAliveTimeout: 75_000,
    // The receiver refuses a missing Host itself, so that it is counted.
    requireHostHeader: false,
  })

  const refuse = (response: ServerResponse, refusal: Rejection) => {
    const body = JSON.stringify({ message: refusal.message })
    response.writeHead(refusal.status, {
      ...refusal.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(closing ? { connection: 'close' } : {}),
    })
    response.write(body)
    sink.onRefused(refusal)
  }
  /** Responds before the body has arrived, and reads some more of it. */
  const rejectEarly = (request: IncomingMessage, response: ServerResponse, refusal: Rejection) => {
    refuse(response, refusal)
    bodies.drain(request, () => response.end())
  }
  const handleRequest = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const query = queryOf(request)
    const result = sink.accept({ body, headers: request.headers, ...(query !== undefined && { query }) })
    if (result.kind !== 'accepted') {
      refuse(response, refusalOf(result))
      response.end()
    } else if (result.durable === undefined) accept(response, result)
    else void acceptStored(request, response, { ...result, durable: result.durable })
  }
  const accept = (response: ServerResponse, { show }: Accepted) => {
    if (closing) response.shouldKeepAlive = false
    response.writeHead(200, acceptedHead)
    response.end(acceptedBody)
    show()
  }
  const acceptStored = async (
    { socket }: IncomingMessage,
    response: ServerResponse,
    result: Required<Accepted>,
  ) => {
    storing.add(socket)
    try {
      await result.durable
      accept(response, result)
    } catch {
      refuse(response, refusalOf({ kind: 'busy', reason: 'the event could not be stored' }))
      response.end()
    } finally {
      storing.delete(socket)
    }
  }
  const receive = (request: IncomingMessage, response: ServerResponse) => {
    // The sender may disconnect during the response.
    response.on('error', ignore)
    const refusal = check(request)
    if (refusal !== undefined) return rejectEarly(request, response, refusal)
    bodies.read(request, {
      maxBytes: maxBodyBytes,
      onBody: body => handleRequest(request, response, body),
      onFailure(reason) {
        if (reason === 'too-large') rejectEarly(request, response, tooLarge(maxBodyBytes))
        else if (reason !== 'aborted') rejectEarly(request, response, cutRefusals[reason])
        else sink.onRefused({ status: 400, message: 'the sender closed the connection during a request' })
      },
    })
  }

  server.on('request', (request, response) => {
    if (options.serve?.(request, response) !== true) receive(request, response)
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = check(request)
    if (refusal === undefined) {
      response.writeContinue()
      receive(request, response)
    } else {
      // The sender waits for this response before sending the body, so there is nothing to read.
      response.shouldKeepAlive = false
      refuse(response, refusal)
      response.end()
    }
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const refusal = brokenRequest(error)
    if (refusal === undefined || !socket.writable) return void socket.destroy()
    sink.onRefused(refusal)
    socket.end(rawResponse(refusal))
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  const port = await listen(server, options, error => cannotListen(error, options))
  return {
    address: `http://${urlHost(options.host)}:${port}${options.path}`,
    port,
    allowHost,
    /** Accepts no more connections, responds to running requests for up to five seconds, and closes. */
    async close() {
      if (closing) return
      closing = true
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      const busy = new Set([...storing, ...bodies.requests().map(({ socket }) => socket)])
      for (const socket of sockets) if (!busy.has(socket)) socket.destroySoon()
      await atMost(drainTime, closed, options.clock)
      bodies.close()
      server.closeAllConnections()
      await closed
    },
  }
}

type Accepted = Extract<DeliveryResult, { kind: 'accepted' }>

const cutRefusals: Readonly<Record<Exclude<BodyFailure, 'too-large' | 'aborted'>, Rejection>> = {
  slow: { status: 408, message: 'the body arrived too slowly', headers: { connection: 'close' } },
  crowded: {
    status: 503,
    message: 'too many bodies are arriving at once',
    headers: { 'retry-after': '1', connection: 'close' },
  },
}

function refusalOf(result: Exclude<DeliveryResult, { kind: 'accepted' }>): Rejection {
  if (result.kind === 'malformed') return result.rejection
  return { status: 503, message: result.reason, headers: { 'retry-after': '1' } }
}

function queryOf({ url = '' }: IncomingMessage): string | undefined {
  const start = url.indexOf('?')
  return start === -1 || start === url.length - 1 ? undefined : url.slice(start + 1)
}

function ignore(): void {}

function brokenRequest({ code }: NodeJS.ErrnoException): Rejection | undefined {
  if (code === 'ECONNRESET' || code === 'EPIPE') return undefined
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'the request took too long' }
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'the headers are too large' }
  return { status: 400, message: 'this is not an HTTP request' }
}

function rawResponse({ status, message }: Rejection): string {
  const body = JSON.stringify({ message })
  return [
    `HTTP/1.1 ${status} Refused`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

/** Converts the failure to listen on an address: `conflict` if the port is in use, otherwise `usage`. */
export function cannotListen(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): CallyardError {
  if (getErrorCode(error) === 'EADDRINUSE')
    return new CallyardError('conflict', `port ${port} on ${host} is in use`, {
      code: 'port-in-use',
      hint: 'stop the other process, or choose another port (0 for a free one)',
      details: { host, port },
      cause: error,
    })
  const reason = getErrorReason(error)
  const isPrivileged = getErrorCode(error) === 'EACCES'
  return new CallyardError('usage', `cannot listen on ${host} port ${port}: ${reason}`, {
    code: 'cannot-listen',
    hint: isPrivileged ? 'ports below 1024 require privileges; choose another port' : 'check the host',
    details: { host, port, reason, isPrivileged },
    cause: error,
  })
}
