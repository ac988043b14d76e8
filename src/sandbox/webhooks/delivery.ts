import pLimit, { type LimitFunction } from 'p-limit'
import type { Agent } from 'undici'
import type { WebhookTarget } from '../call/assistant-server.ts'
import type { Log } from '../events.ts'
import { cutOff } from './cut-off.ts'

/** interface.md 6: one webhook message. Made when its turn comes, so that what waits costs no memory. */
export interface WebhookMessage {
  readonly type: string
  /** The call sends nothing after it. */
  readonly last?: boolean
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

/** Sends a message once: the whole of it, or so much that the receiver sees it break off. */
export type Send = (message: WebhookMessage, how: 'whole' | 'in-part') => Promise<void>

/** The way of one call’s messages to their receiver, one after another. */
export interface Passage {
  /** A message is held back until another one was sent. */
  readonly holding: boolean
  pass(message: WebhookMessage): Promise<void>
  /** Sends what is held back. */
  flush(): Promise<void>
}

/** Once `hurry` aborts nothing may wait any longer. */
export type OpenPassage = (callId: string, send: Send, hurry: AbortSignal) => Passage

interface DeliveryOptions {
  readonly log: Log
  /** Straight unless given. */
  readonly openPassage?: OpenPassage | undefined
}

/** One receiver that hangs holds up to so many connections, and nobody else’s. */
const atOncePerOrigin = 64

export function createDelivery({ log, openPassage = straight }: DeliveryOptions): Delivery {
  const underWay = new Set<Promise<void>>()
  /** Sets free what the passages still hold. */
  const releases = new Set<() => void>()
  const closing = new AbortController()
  const requests = new Set<AbortController>()
  const limits = new Map<string, LimitFunction>()
  let agent: Promise<Agent> | undefined
  let givenUp: Error | undefined

  const connect = async () => {
    const { Agent } = await import('undici')
    return new Agent({ connections: atOncePerOrigin, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  }
  const post = async (
    { url, headers, timeoutSeconds }: WebhookTarget,
    { message, how }: { message: WebhookMessage; how: 'whole' | 'in-part' },
  ) => {
    const { request } = await import('undici')
    agent ??= connect()
    const ending = new AbortController()
    const deadline = after(timeoutSeconds * 1000, () =>
      ending.abort(new Error(`no answer within ${timeoutSeconds} seconds`)),
    )
    requests.add(ending)
    try {
      if (givenUp !== undefined) throw givenUp
      const content = {
        headers: { ...lowerCase(headers), 'content-type': 'application/json' },
        body: JSON.stringify(message.body()),
        signal: ending.signal,
      }
      if (how === 'in-part') return await cutOff(url, content)
      // undici follows no redirect by itself: headers meant for this server go nowhere else.
      const answer = await request(url, { dispatcher: await agent, method: 'POST', ...content })
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
  const sendTo =
    (callId: string, target: WebhookTarget): Send =>
    async (message, how) => {
      try {
        await limitOf(target.url)(() => post(target, { message, how }))
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
    do {
      while (underWay.size > 0) await Promise.all(underWay)
      for (const release of releases) release()
    } while (underWay.size > 0)
  }
  return {
    outbox(callId, target) {
      if (target === undefined) return { send() {} }
      const passage = openPassage(callId, sendTo(callId, target), closing.signal)
      let before: Promise<void> = Promise.resolve()
      const next = (work: () => Promise<void>) => {
        const done = before.then(work)
        before = done
        underWay.add(done)
        void done.then(() => {
          underWay.delete(done)
          if (passage.holding) releases.add(release)
          else releases.delete(release)
        })
      }
      const release = () => next(passage.flush)
      return {
        send(message) {
          if (target.messages?.includes(message.type) !== false) next(() => passage.pass(message))
          if (message.last === true) release()
        },
      }
    },
    idle,
    async close(deadline) {
      const late = after(deadline, () => {
        givenUp = new Error('the sandbox stopped before it was sent')
        for (const ending of requests) ending.abort(givenUp)
      })
      closing.abort()
      await idle()
      late.cancel()
      await (await agent)?.destroy()
    },
  }
}

const straight: OpenPassage = (_callId, send) => ({
  holding: false,
  pass: message => send(message, 'whole'),
  flush: async () => {},
})

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
