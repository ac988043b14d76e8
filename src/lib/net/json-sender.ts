import { Readable } from 'node:stream'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent, Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import { startTimer } from '../clock.ts'
import { reasonOf } from '../error.ts'
import { basicLogin, isUnsent, lowerCaseNames, networkErrorCode, networkErrorReason } from './http.ts'

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
}

/** POSTs JSON to servers of other people, over shared connections. */
export interface JsonSender {
  /**
   * Sends once, when its turn at that server comes, within the target's time from then on (real time). Follows no redirect: headers
   * meant for one server go nowhere else. `json` is made when its turn comes. Never rejects.
   */
  post(target: SendTarget, json: () => string): Promise<SendResult>
  /** The same with the first half of the body: then the connection is broken, and the receiver sees a request that never ends. */
  breakOff(target: SendTarget, json: () => string): Promise<SendFailure | undefined>
  /** Ends the requests under way and all that follow, for this reason. */
  giveUp(reason: string): void
  close(): Promise<void>
}

/** What makes the request of a target, from its headers. */
type ToRequest = (headers: SendTarget['headers']) => Pick<Dispatcher.DispatchOptions, 'headers' | 'body'>

/** What is made of a target once: a call sends many messages to its own. */
interface KnownTarget {
  readonly origin: string
  readonly path: string
  readonly host: string
  readonly isReachable: boolean
  readonly limit: LimitFunction
  readonly headers: SendTarget['headers']
}

/** One server that hangs holds at most this number of connections, and none of another server. */
const maxAtOncePerOrigin = 64

export function createJsonSender({
  clock,
  maxAnswerBytes,
  mayReach = () => true,
}: {
  readonly clock: Clock
  readonly maxAnswerBytes: number
  /** What is for another place is not sent: a failure that says so. */
  readonly mayReach?: MayReach | undefined
}): JsonSender {
  const limits = new Map<string, LimitFunction>()
  const knownTargets = new WeakMap<SendTarget, KnownTarget>()
  /** Ends a request before its time: lighter than an AbortController, as there is one for each webhook. */
  const underWay = new Set<(reason: Error) => void>()
  let agent: Promise<Agent> | undefined
  let givenUp: Error | undefined

  const knownOf = (target: SendTarget): KnownTarget => {
    const known = knownTargets.get(target)
    if (known !== undefined) return known
    const url = new URL(target.url)
    const { origin, host, pathname, search } = url
    const limit = limits.get(origin) ?? pLimit(maxAtOncePerOrigin)
    limits.set(origin, limit)
    const headers = headersTo(target)
    const made = { origin, host, isReachable: mayReach(url), path: pathname + search, limit, headers }
    knownTargets.set(target, made)
    return made
  }
  const send = async (target: SendTarget, toRequest: ToRequest): Promise<SendResult> => {
    const { limit, host, isReachable, origin, path, headers } = knownOf(target)
    if (!isReachable) return { failure: notReached(host), unsent: true }
    return limit(async () => {
      agent ??= connect()
      const dispatcher = await agent
      if (givenUp !== undefined) return toFailure(givenUp)
      const request = { origin, path, method: 'POST', ...toRequest(headers) } as const
      return exchange(dispatcher, request, target.timeoutSeconds)
    })
  }
  /** One request and its answer, without the streams that undici's `request` makes for each: they take as long as the request. */
  const exchange = (dispatcher: Agent, request: Dispatcher.DispatchOptions, timeoutSeconds: number) =>
    new Promise<SendResult>(resolve => {
      const chunks: Buffer[] = []
      let size = 0
      let status = 0
      let connection: Dispatcher.DispatchController | undefined
      let ended: Error | undefined
      const settle = (result: SendResult) => {
        underWay.delete(end)
        cancelTimer()
        resolve(result)
      }
      const end = (reason: Error) => {
        ended = reason
        settle(toFailure(reason))
        connection?.abort(reason)
      }
      const answered = (isCut: boolean) =>
        settle({ status, text: Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString(), isCut })
      underWay.add(end)
      const cancelTimer = startTimer(
        Math.ceil(timeoutSeconds * 1000),
        () => end(new Error(`no answer within ${timeoutSeconds} seconds`)),
        clock,
      )
      dispatcher.dispatch(request, {
        onRequestStart(controller) {
          connection = controller
          if (ended !== undefined) controller.abort(ended)
        },
        onResponseStart(_controller, statusCode) {
          status = statusCode
        },
        onResponseData(controller, chunk) {
          chunks.push(chunk)
          size += chunk.length
          if (size <= maxAnswerBytes) return
          answered(true)
          // The rest is given up with its connection.
          controller.abort(new Error('the answer is longer than the sender reads'))
        },
        onResponseEnd: () => answered(false),
        onResponseError: (_controller, error) => settle(toFailure(error)),
      })
    })
  return {
    post: (target, json) => send(target, headers => ({ headers, body: json() })),
    async breakOff(target, json) {
      let isSent = false
      const result = await send(target, headers => {
        const bytes = Buffer.from(json())
        const firstHalf = async function* () {
          yield bytes.subarray(0, Math.ceil(bytes.length / 2))
          isSent = true
          throw new Error('a body that fails breaks its connection')
        }
        return {
          headers: { ...headers, 'content-length': String(bytes.length) },
          body: Readable.from(firstHalf()),
        }
      })
      return !isSent && 'failure' in result ? result : undefined
    },
    giveUp(reason) {
      givenUp = new Error(reason)
      for (const end of underWay) end(givenUp)
    },
    async close() {
      await (await agent)?.destroy()
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

async function connect(): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({ connections: maxAtOncePerOrigin, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
}

function toFailure(error: unknown): SendFailure {
  const code = networkErrorCode(error)
  return { failure: networkErrorReason(code) ?? (reasonOf(error) || String(code)), unsent: isUnsent(code) }
}
