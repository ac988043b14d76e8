import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent } from 'undici'
import type { WebhookTarget } from '../call/behaviour.ts'
import type { Log } from '../events.ts'

/** interface.md 6: one webhook message. Made when its turn comes, so that what waits costs no memory. */
export interface WebhookMessage {
  readonly type: string
  body(): unknown
}

/** The webhooks of one call: sent once, one at a time, in order. */
export interface Outbox {
  send(message: WebhookMessage): void
}

export interface Delivery {
  /** Without a target nothing is sent. */
  outbox(callId: string, target: WebhookTarget | undefined): Outbox
  /** Resolves when nothing waits to be sent. */
  idle(): Promise<void>
  /** Sends what waits for at most so many milliseconds, then gives up the rest. */
  close(deadline: number): Promise<void>
}

/** One receiver that hangs holds up to so many connections, and nobody else’s. */
const atOncePerOrigin = 64

export function createDelivery({ log }: { readonly log: Log }): Delivery {
  const underWay = new Set<Promise<void>>()
  const requests = new Set<AbortController>()
  const limits = new Map<string, LimitFunction>()
  let agent: Promise<Agent> | undefined
  let givenUp: Error | undefined

  const connect = async () => {
    const { Agent } = await import('undici')
    return new Agent({ connections: atOncePerOrigin, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  }
  const post = async ({ url, headers, timeoutSeconds }: WebhookTarget, body: unknown) => {
    const { request } = await import('undici')
    agent ??= connect()
    const ending = new AbortController()
    const deadline = after(timeoutSeconds * 1000, () =>
      ending.abort(new Error(`no answer within ${timeoutSeconds} seconds`)),
    )
    requests.add(ending)
    try {
      if (givenUp !== undefined) throw givenUp
      // undici follows no redirect by itself: headers meant for this server go nowhere else.
      const answer = await request(url, {
        dispatcher: await agent,
        method: 'POST',
        headers: { ...lowerCase(headers), 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: ending.signal,
      })
      await answer.body.dump({ limit: 64 * 1024, signal: ending.signal })
      if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`answered ${answer.statusCode}`)
    } finally {
      deadline.cancel()
      requests.delete(ending)
    }
  }
  const limitOf = (url: string) => {
    const { origin } = new URL(url)
    const limit = limits.get(origin) ?? pLimit(atOncePerOrigin)
    limits.set(origin, limit)
    return limit
  }
  const deliver = async (callId: string, target: WebhookTarget, message: WebhookMessage) => {
    try {
      await limitOf(target.url)(() => post(target, message.body()))
    } catch (error) {
      log({
        kind: 'delivery-failed',
        callId,
        type: message.type,
        url: withoutSecrets(target.url),
        reason: reasonOf(error),
      })
    }
  }
  const idle = async () => {
    while (underWay.size > 0) await Promise.all(underWay)
  }
  return {
    outbox(callId, target) {
      let last: Promise<void> = Promise.resolve()
      return {
        send(message) {
          if (target === undefined || target.messages?.includes(message.type) === false) return
          const sent = last.then(() => deliver(callId, target, message))
          last = sent
          underWay.add(sent)
          void sent.then(() => underWay.delete(sent))
        },
      }
    },
    idle,
    async close(deadline) {
      const late = after(deadline, () => {
        givenUp = new Error('the sandbox stopped before it was sent')
        for (const ending of requests) ending.abort(givenUp)
      })
      await idle()
      late.cancel()
      await (await agent)?.destroy()
    },
  }
}

/** A deadline of the network: real time, whatever the clock of the calls says. */
function after(milliseconds: number, act: () => void): { cancel(): void } {
  const signal = AbortSignal.timeout(Math.min(milliseconds, longestTimeout))
  signal.addEventListener('abort', act, { once: true })
  return { cancel: () => signal.removeEventListener('abort', act) }
}

/** The longest delay that a timer can hold. */
const longestTimeout = 2_147_483_647

/** So that the same header is not sent twice. */
function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error instanceof AggregateError ? String(error.errors[0]) : error.name)
}
