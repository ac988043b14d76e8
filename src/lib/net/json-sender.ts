import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent, Dispatcher } from 'undici'
import type { Clock } from '../clock.ts'
import { startTimer } from '../clock.ts'
import { reasonOf } from '../error.ts'
import { basicLogin, isUnsent, lowerCaseNames, networkErrorCode, networkErrorReason } from './http.ts'

/** A server of the user: a webhook receiver, or the server of a function tool. */
/** Whether requests may go there. */
export type MayReach = (url: URL) => boolean

/** Why nothing is sent where it may not go, as a failure says it. */
export function notReached(host: string): string {
  return `${host} is not one of the hosts that this sandbox may reach`
}

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
  | {
      /** No answer came, or not all of it: a few words without secrets. */
      readonly failure: string
      /** There was no connection: nothing was sent. */
      readonly unsent: boolean
    }

/** What a request of one's own needs: the headers of the target, JSON as content type, and its time. */
interface SendTurn {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** POSTs JSON to servers of other people, over shared connections. */
export interface JsonSender {
  /**
   * Sends once, when its turn at that server comes, within the target's time from then on (real time). Follows no redirect: headers
   * meant for one server go nowhere else. `json` is made when its turn comes. Never rejects.
   */
  post(target: SendTarget, json: () => string): Promise<SendResult>
  /** The same turn and time for a request that is made otherwise; a failure, or undefined. */
  sendBy(
    target: SendTarget,
    work: (turn: SendTurn) => Promise<void>,
  ): Promise<Extract<SendResult, { failure: string }> | undefined>
  /** Ends the requests under way and all that follow, for this reason. */
  giveUp(reason: string): void
  close(): Promise<void>
}

/** Ends a request before its time: a lighter AbortController, as there is one for each webhook. */
interface Ending {
  reason: Error | undefined
  onEnd: (reason: Error) => void
}

function end(ending: Ending, reason: Error): void {
  ending.reason ??= reason
  ending.onEnd(ending.reason)
}

/** What is made of a target once: a call sends many messages to its own. */
interface KnownTarget {
  readonly origin: string
  readonly path: string
  readonly host: string
  readonly isReachable: boolean
  readonly limit: LimitFunction
  readonly headers: SendTurn['headers']
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
  const underWay = new Set<Ending>()
  let agent: Promise<Agent> | undefined
  let givenUp: Error | undefined

  const knownOf = (target: SendTarget): KnownTarget => {
    const known = knownTargets.get(target)
    if (known !== undefined) return known
    const url = new URL(target.url)
    const { origin, pathname, search } = url
    const limit = limits.get(origin) ?? pLimit(maxAtOncePerOrigin)
    limits.set(origin, limit)
    const headers = headersTo(target)
    const { host } = url
    const made = { origin, host, isReachable: mayReach(url), path: pathname + search, limit, headers }
    knownTargets.set(target, made)
    return made
  }
  const inTurn = async <Result>(
    target: SendTarget,
    work: (ending: Ending, known: KnownTarget) => Promise<Result>,
  ) => {
    const known = knownOf(target)
    if (!known.isReachable) return { failure: notReached(known.host), unsent: true } as const
    return known.limit(async () => {
      const ending: Ending = { reason: givenUp, onEnd: () => undefined }
      underWay.add(ending)
      const cancelTimer = startTimer(
        Math.ceil(target.timeoutSeconds * 1000),
        () => end(ending, new Error(`no answer within ${target.timeoutSeconds} seconds`)),
        clock,
      )
      try {
        if (ending.reason !== undefined) throw ending.reason
        return await work(ending, known)
      } catch (error) {
        return toFailure(ending.reason ?? error)
      } finally {
        underWay.delete(ending)
        cancelTimer()
      }
    })
  }
  return {
    post: (target, json) =>
      inTurn(target, async (ending, { origin, path, headers }) => {
        agent ??= connect()
        const dispatcher = await agent
        const request = { origin, path, method: 'POST', headers, body: json() } as const
        return exchange(dispatcher, request, { ending, maxAnswerBytes })
      }),
    sendBy: (target, work) =>
      inTurn(target, async (ending, { headers }) => {
        const controller = new AbortController()
        ending.onEnd = reason => controller.abort(reason)
        await work({ headers, signal: controller.signal })
        return undefined
      }),
    giveUp(reason) {
      givenUp = new Error(reason)
      for (const ending of underWay) end(ending, givenUp)
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

/** One request and its answer, without the streams that undici's `request` makes for each: they take as long as the request. */
function exchange(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  { ending, maxAnswerBytes }: { readonly ending: Ending; readonly maxAnswerBytes: number },
): Promise<Extract<SendResult, { text: string }>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let status = 0
    const answered = (isCut: boolean) => {
      const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString()
      resolve({ status, text, isCut })
    }
    agent.dispatch(request, {
      onRequestStart(controller) {
        ending.onEnd = reason => controller.abort(reason)
        if (ending.reason !== undefined) controller.abort(ending.reason)
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
      onResponseError: (_controller, error) => reject(error),
    })
  })
}

function toFailure(error: unknown): Extract<SendResult, { failure: string }> {
  const code = networkErrorCode(error)
  return { failure: networkErrorReason(code) ?? (reasonOf(error) || String(code)), unsent: isUnsent(code) }
}
