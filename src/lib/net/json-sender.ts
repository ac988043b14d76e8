import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent } from 'undici'
import type { Clock } from '../clock.ts'
import { startTimer } from '../clock.ts'
import { reasonOf } from '../error.ts'
import { isUnsent, lowerCaseNames, networkErrorCode, networkErrorReason, readBeginning } from './http.ts'

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
   * meant for one server go nowhere else. `body` is made when its turn comes. Never rejects.
   */
  post(target: SendTarget, body: () => unknown): Promise<SendResult>
  /** The same turn and time for a request that is made otherwise; a failure, or undefined. */
  sendBy(
    target: SendTarget,
    work: (turn: SendTurn) => Promise<void>,
  ): Promise<Extract<SendResult, { failure: string }> | undefined>
  /** Ends what is under way and whatever follows, for this reason. */
  giveUp(reason: string): void
  close(): Promise<void>
}

/** One server that hangs holds at most this number of connections, and none of another server. */
const maxAtOncePerOrigin = 64

export function createJsonSender({
  clock,
  maxAnswerBytes,
}: {
  readonly clock: Clock
  readonly maxAnswerBytes: number
}): JsonSender {
  const limits = new Map<string, LimitFunction>()
  const underWay = new Set<AbortController>()
  let agent: Promise<Agent> | undefined
  let givenUp: Error | undefined

  const limitOf = (url: string) => {
    const { origin } = new URL(url)
    const limit = limits.get(origin) ?? pLimit(maxAtOncePerOrigin)
    limits.set(origin, limit)
    return limit
  }
  const inTurn = <Result>(target: SendTarget, work: (turn: SendTurn) => Promise<Result>) =>
    limitOf(target.url)(async () => {
      const ending = new AbortController()
      underWay.add(ending)
      const cancelTimer = startTimer(
        Math.ceil(target.timeoutSeconds * 1000),
        () => ending.abort(new Error(`no answer within ${target.timeoutSeconds} seconds`)),
        clock,
      )
      const headers = {
        ...loginOf(target.url),
        ...lowerCaseNames(target.headers),
        'content-type': 'application/json',
      }
      try {
        if (givenUp !== undefined) throw givenUp
        return await work({ headers, signal: ending.signal })
      } catch (error) {
        return toFailure(ending.signal.aborted ? ending.signal.reason : error)
      } finally {
        underWay.delete(ending)
        cancelTimer()
      }
    })
  return {
    post: (target, body) =>
      inTurn(target, async turn => {
        const { request } = await import('undici')
        agent ??= connect()
        const { statusCode, body: answer } = await request(target.url, {
          ...turn,
          dispatcher: await agent,
          method: 'POST',
          body: JSON.stringify(body()),
        })
        return { status: statusCode, ...(await readBeginning(answer, maxAnswerBytes)) }
      }),
    sendBy: (target, work) => inTurn(target, async turn => void (await work(turn))),
    giveUp(reason) {
      givenUp = new Error(reason)
      for (const ending of underWay) ending.abort(givenUp)
    },
    async close() {
      await (await agent)?.destroy()
    },
  }
}

async function connect(): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({ connections: maxAtOncePerOrigin, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
}

/** `user:password@` of a URL, which undici leaves out. */
function loginOf(url: string): Record<string, string> {
  const { username, password } = new URL(url)
  if (username === '' && password === '') return {}
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
}

function toFailure(error: unknown): Extract<SendResult, { failure: string }> {
  const code = networkErrorCode(error)
  return { failure: networkErrorReason(code) ?? (reasonOf(error) || String(code)), unsent: isUnsent(code) }
}
