import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent } from 'undici'
import { startTimer } from '../../lib/async/timer.ts'
import type { Clock } from '../../lib/clock.ts'

/** Somebody's own server: a webhook receiver, or the server of a function tool. */
export interface OutboundTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
}

/** What one request is made with. undici follows no redirect by itself: headers meant for one server go nowhere else. */
interface OutboundTurn {
  readonly dispatcher: Agent
  /** The target's own, and JSON as content type. */
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Requests from the sandbox to servers of other people, over shared connections. */
interface Outbound {
  /**
   * Makes a request when its turn at that server comes, within the target's time from then on (real time).
   * @throws Overdue, what `giveUp` was given, or what the work throws
   */
  request<Answer>(target: OutboundTarget, work: (turn: OutboundTurn) => Promise<Answer>): Promise<Answer>
  /** Ends what is under way and whatever follows. */
  giveUp(reason: Error): void
  close(): Promise<void>
}

/** The server did not answer in its time. */
export class Overdue extends Error {
  override readonly name = 'Overdue'
}

/** One server that hangs holds up to so many connections, and nobody else’s. */
const atOncePerOrigin = 64

export function createOutbound({
  clock,
  maxAnswerBytes,
}: {
  readonly clock: Clock
  /** Bytes; a longer answer is an error. */
  readonly maxAnswerBytes?: number
}): Outbound {
  const limits = new Map<string, LimitFunction>()
  const underWay = new Set<AbortController>()
  let agent: Promise<Agent> | undefined
  let givenUp: Error | undefined

  const connect = async () => {
    const { Agent } = await import('undici')
    return new Agent({
      connections: atOncePerOrigin,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(maxAnswerBytes === undefined ? {} : { maxResponseSize: maxAnswerBytes }),
    })
  }
  const limitOf = (url: string) => {
    const { origin } = new URL(url)
    const limit = limits.get(origin) ?? pLimit(atOncePerOrigin)
    limits.set(origin, limit)
    return limit
  }
  return {
    request: (target, work) =>
      limitOf(target.url)(async () => {
        if (givenUp !== undefined) throw givenUp
        agent ??= connect()
        const ending = new AbortController()
        underWay.add(ending)
        const cancelTimer = startTimer(
          Math.ceil(target.timeoutSeconds * 1000),
          () => ending.abort(new Overdue(`no answer within ${target.timeoutSeconds} seconds`)),
          clock,
        )
        const headers = { ...lowerCase(target.headers), 'content-type': 'application/json' }
        try {
          return await work({ dispatcher: await agent, headers, signal: ending.signal })
        } finally {
          underWay.delete(ending)
          cancelTimer()
        }
      }),
    giveUp(reason) {
      givenUp = reason
      for (const ending of underWay) ending.abort(reason)
    },
    async close() {
      await (await agent)?.destroy()
    },
  }
}

/** So that the same header is not sent twice. */
function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
