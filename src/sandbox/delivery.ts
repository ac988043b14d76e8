import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent } from 'undici'
import type { Clock } from '../context.ts'
import type { WebhookTarget } from './behaviour.ts'
import type { Log } from './events.ts'

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

interface DeliveryOptions {
  readonly clock: Clock
  readonly log: Log
}

/** One receiver that hangs holds up to so many connections, and nobody else’s. */
const atOncePerOrigin = 64

export function createDelivery({ clock, log }: DeliveryOptions): Delivery {
  const giveUp = new AbortController()
  const underWay = new Set<Promise<void>>()
  const limits = new Map<string, LimitFunction>()
  let agent: Promise<Agent> | undefined

  const connect = async () => {
    const { Agent } = await import('undici')
    return new Agent({ connections: atOncePerOrigin, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  }
  const post = async (target: WebhookTarget, body: unknown) => {
    const { request } = await import('undici')
    agent ??= connect()
    const within = new AbortController()
    const signal = AbortSignal.any([within.signal, giveUp.signal])
    const timedOut = clock.sleep(target.timeoutSeconds * 1000, signal).then(
      () => within.abort(new Error(`no answer within ${target.timeoutSeconds} seconds`)),
      () => {},
    )
    try {
      // undici follows no redirect by itself: headers meant for this server go nowhere else.
      const answer = await request(target.url, {
        dispatcher: await agent,
        method: 'POST',
        headers: { ...target.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      })
      await answer.body.dump({ limit: 64 * 1024, signal })
      if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`answered ${answer.statusCode}`)
    } finally {
      within.abort()
      await timedOut
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
      giveUp.signal.throwIfAborted()
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
      const drained = new AbortController()
      const late = clock.sleep(deadline, drained.signal).then(
        () => giveUp.abort(new Error('the sandbox stopped before it was sent')),
        () => {},
      )
      await idle()
      drained.abort()
      await late
      await (await agent)?.destroy()
    },
  }
}

function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || (error instanceof AggregateError ? String(error.errors[0]) : error.name)
}
