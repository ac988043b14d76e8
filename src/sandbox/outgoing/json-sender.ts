import { Readable } from 'node:stream'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import Queue from 'yocto-queue'
import type { Clock } from '../../lib/clock.ts'
import { startTimer } from '../../lib/clock.ts'
import { reasonOf } from '../../lib/error.ts'
import {
  basicLogin,
  isCertificateError,
  isUnsent,
  lowerCaseNames,
  networkErrorCode,
  networkErrorReason,
} from '../../lib/net/http.ts'
import { createDeferred } from '../../lib/queue.ts'

/** Whether requests may go there. */
export type MayReach = (url: URL) => boolean

/** Why nothing is sent where it may not go, as a failure says it. */
export function notReached(host: string): string {
  return `${host} is not one of the hosts that this sandbox may reach`
}

/** A server of the user: a webhook receiver, or the server of a function tool. */
export interface SendTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
}

export type SendResult =
  | {
      readonly status: number
      readonly text: string
      /** The answer is longer than the sender reads. */
      readonly isCut: boolean
    }
  | SendFailure

interface SendFailure {
  /** No answer came, or not all of it: a few words without secrets. */
  readonly failure: string
  /** There was no connection: nothing was sent. */
  readonly unsent: boolean
  /** The certificate of the server is not trusted, so nothing was sent. */
  readonly untrusted?: true
}

/** What makes the request of a target, from its headers. */
type ToRequest = (headers: SendTarget['headers']) => Pick<Dispatcher.DispatchOptions, 'headers' | 'body'>

/** One server that hangs holds at most this number of connections, and none of another server. */
const maxAtOncePerOrigin = 64

export type JsonSender = ReturnType<typeof createJsonSender>

/**
 * Of one server: how many requests may begin at once. Not by p-limit, whose jobs wait for promises of their own also when it is
 * their turn: a tenth of the time of 1,000 calls at once.
 */
function createTurns() {
  const waiting = new Queue<() => void>()
  let free = maxAtOncePerOrigin
  return {
    take() {
      if (free === 0) return false
      free -= 1
      return true
    },
    next: () => new Promise<void>(resolve => waiting.enqueue(resolve)),
    giveBack() {
      const wake = waiting.dequeue()
      if (wake === undefined) free += 1
      else wake()
    },
  }
}

/** POSTs JSON to servers of other people, over shared connections. */
export function createJsonSender({
  clock,
  maxAnswerBytes,
  mayReach = () => true,
  unref = false,
}: {
  readonly clock: Clock
  readonly maxAnswerBytes: number
  /** What is for another place is not sent: a failure that says so. */
  readonly mayReach?: MayReach | undefined
  /** If true, pending requests do not keep the process alive. */
  readonly unref?: boolean | undefined
}) {
  const turnsOf = new Map<string, ReturnType<typeof createTurns>>()
  const knownTargets = new WeakMap<SendTarget, ReturnType<typeof readTarget>>()
  const underWay = new Set<ReturnType<typeof createExchange>>()
  let agent: Promise<Agent> | undefined
  let givenUp: Error | undefined

  /** Once for each: a call sends many messages to its own. */
  const readTarget = (target: SendTarget) => {
    const url = new URL(target.url)
    const { origin, host, pathname, search } = url
    const turns = turnsOf.get(origin) ?? createTurns()
    turnsOf.set(origin, turns)
    const { timeoutSeconds } = target
    const isReachable = mayReach(url)
    return {
      origin,
      host,
      isReachable,
      path: pathname + search,
      turns,
      headers: headersTo(target),
      timeoutSeconds,
    }
  }
  const send = async (target: SendTarget, toRequest: ToRequest): Promise<SendResult> => {
    const known = knownTargets.get(target) ?? readTarget(target)
    knownTargets.set(target, known)
    const { turns, host, isReachable } = known
    if (!isReachable) return { failure: notReached(host), unsent: true }
    if (!turns.take()) await turns.next()
    try {
      return await sendNow(known, toRequest)
    } catch (error) {
      return toFailure(error)
    } finally {
      turns.giveBack()
    }
  }
  const sendNow = async (
    { origin, path, headers, timeoutSeconds }: ReturnType<typeof readTarget>,
    toRequest: ToRequest,
  ) => {
    agent ??= connect(unref)
    const dispatcher = await agent
    if (givenUp !== undefined) throw givenUp
    const request = { origin, path, method: 'POST', ...toRequest(headers) } as const
    const exchange = createExchange(maxAnswerBytes)
    underWay.add(exchange)
    const onTimeout = () => exchange.end(new Error(`no answer within ${timeoutSeconds} seconds`))
    const cancelTimer = startTimer(Math.ceil(timeoutSeconds * 1000), onTimeout, clock)
    dispatcher.dispatch(request, exchange.handler)
    const result = await exchange.result
    cancelTimer()
    underWay.delete(exchange)
    return result
  }
  return {
    /**
     * Sends once, when its turn at that server comes, within the target's time from then on (real time). Follows no redirect: headers
     * meant for one server go nowhere else. `json` is made when its turn comes. Never rejects.
     */
    post: (target: SendTarget, json: () => string) => send(target, headers => ({ headers, body: json() })),
    /** The same with the first half of the body: then the connection is broken, and the receiver sees a request that never ends. */
    async breakOff(target: SendTarget, json: () => string) {
      let isSent = false
      const result = await send(target, headers => {
        const bytes = Buffer.from(json())
        const firstHalf = bytes.subarray(0, Math.ceil(bytes.length / 2))
        const body = new Readable({
          // The first half is asked for and handed on before anything more is.
          highWaterMark: 0,
          read() {
            if (this.readableDidRead) breakWhenTaken()
            else this.push(firstHalf)
          },
        })
        /** A body may be asked for more ahead of time; it is paused until the system has taken what it gave. */
        const breakWhenTaken = () => {
          if (body.isPaused()) return void body.once('resume', breakWhenTaken)
          isSent = true
          body.destroy(new Error('a body that fails breaks its connection'))
        }
        return { headers: { ...headers, 'content-length': String(bytes.length) }, body }
      })
      return !isSent && 'failure' in result ? result : undefined
    },
    /** Ends the requests under way and all that follow, for this reason. */
    giveUp(reason: string) {
      givenUp = new Error(reason)
      for (const exchange of underWay) exchange.end(givenUp)
    },
    async close() {
      await (await agent)?.destroy()
    },
  }
}

/** One request and its answer, without the streams that undici's `request` makes for each: they take as long as the request. */
function createExchange(maxAnswerBytes: number) {
  const chunks: Buffer[] = []
  let size = 0
  let status = 0
  let encoding: string | undefined
  let connection: Dispatcher.DispatchController | undefined
  let ended: Error | undefined

  const { promise: result, resolve: settle } = createDeferred<SendResult>()
  const complete = () => {
    const body = Buffer.concat(chunks)
    const toResult = (bytes: Buffer, isCut: boolean) =>
      settle({ status, text: bytes.subarray(0, maxAnswerBytes).toString(), isCut })
    if (encoding === undefined || size > maxAnswerBytes) return toResult(body, size > maxAnswerBytes)
    // A request without `accept-encoding` accepts every coding.
    void import('../../lib/net/decompress.ts').then(({ decompress }) => {
      const result = decompress(body, encoding, maxAnswerBytes)
      if (result.kind === 'too-large') toResult(Buffer.alloc(0), true)
      else toResult(result.bytes, false)
    })
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      connection = controller
      if (ended !== undefined) controller.abort(ended)
    },
    onResponseStart(_, code, headers) {
      status = code
      encoding = [headers['content-encoding'] ?? []].flat().join(', ') || undefined
    },
    onResponseData(controller, chunk) {
      chunks.push(chunk)
      size += chunk.length
      if (size <= maxAnswerBytes) return
      complete()
      // The rest is given up with its connection.
      controller.abort(new Error('the answer is longer than the sender reads'))
    },
    onResponseEnd: complete,
    onResponseError: (_, error) => settle(toFailure(error)),
  }
  return {
    handler,
    result,
    /** Gives it up: a lighter AbortController, as there is one for each webhook. */
    end(reason: Error) {
      ended = reason
      settle(toFailure(reason))
      connection?.abort(reason)
    },
  }
}

/** The headers that a target is sent. */
export function headersTo({ url, headers }: SendTarget): Readonly<Record<string, string>> {
  // undici leaves out what stands in the URL.
  const authorization = basicLogin(new URL(url))
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...lowerCaseNames(headers),
    'content-type': 'application/json',
  }
}

async function connect(unref: boolean): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  return new Agent({
    connections: maxAtOncePerOrigin,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(unref ? { connect: unrefSockets(buildConnector({})) } : {}),
  })
}

/** undici unrefs idle sockets only, and refs a socket for each request. */
function unrefSockets(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result
      if (error === null) {
        socket.unref()
        socket.ref = () => socket
      }
      callback(...result)
    })
}

function toFailure(error: unknown): SendFailure {
  const code = networkErrorCode(error)
  const failure = networkErrorReason(code) ?? (reasonOf(error) || String(code))
  return { failure, unsent: isUnsent(code), ...(isCertificateError(code) && { untrusted: true }) }
}
