import * as z from 'zod/mini'
import { assistantServerSchema } from '../../interface/assistant.ts'
import { check } from '../../interface/check.ts'
import { looseSchema, optional } from '../../interface/fields.ts'
import type { Finding } from '../../interface/finding.ts'
import type { Clock } from '../../lib/clock.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'
import { withoutQuery } from '../../lib/net/address.ts'
import { truncate } from '../../lib/text/truncate.ts'
import type { WorldClock } from '../clock/world-clock.ts'
import type { Log } from '../event-schemas.ts'
import {
  type AllowHost,
  createJsonSender,
  type SendResult,
  type SendTarget,
} from '../outgoing/json-sender.ts'
import type { OpenFaultInjector, Send, SendingCall, WebhookMessage } from './faults.ts'
import type { OpenWebhook, WebhookHistory } from './webhook-history.ts'

const defaultTimeoutSeconds = 10

/** The shape of `assistantServer` that the sandbox reads; the interface does not show it. Other keys are ignored. */
export const serverSchema = lazy(() =>
  looseSchema('AssistantServer', {
    ...assistantServerSchema().shape,
    messages: optional(
      z.array(z.string()),
      'Types of webhooks that are sent; without it all but tool-started and tool-ended',
    ),
    headers: optional(z.record(z.string(), z.string()), 'Headers of each webhook'),
    timeoutSeconds: optional(z.number().check(z.positive()), 'Seconds in which the receiver must respond', {
      default: defaultTimeoutSeconds,
    }),
    enabled: optional(z.boolean(), 'Whether webhooks are sent', { default: true }),
  }),
)

type WebhookServer = Infer<typeof serverSchema>

const receivingSchema = lazy(() => z.looseObject({ assistantServer: z.optional(serverSchema()) }))

export interface WebhookTarget extends SendTarget {
  /** Undefined: all types of the interface. */
  readonly messages: readonly string[] | undefined
}

/**
 * Rejects an unreadable `assistantServer` immediately, rather than losing webhooks. The assistant's schema checks its url.
 */
export function checkServer(
  assistant: Readonly<Record<string, unknown>>,
  at: readonly string[] = [],
): Finding[] {
  if (receivingSchema().safeParse(assistant).success) return []
  const schema = at.reduceRight<z.ZodMiniType>(
    (inner, key) => z.looseObject({ [key]: inner }),
    receivingSchema(),
  )
  const body = at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), assistant)
  return check(schema, body).map(finding => ({ ...finding, hint: finding.hint ?? readFields }))
}

const readFields =
  'the sandbox reads { url, messages: [types], headers: {name: value}, timeoutSeconds, enabled }; leave out what has no value'

/** Undefined: the assistant wants no webhooks. */
export function webhookTarget(server: WebhookServer | undefined): WebhookTarget | undefined {
  if (server?.url === undefined || server.enabled === false) return undefined
  return {
    url: server.url,
    messages: server.messages,
    headers: server.headers ?? {},
    timeoutSeconds: server.timeoutSeconds ?? defaultTimeoutSeconds,
  }
}

/** Webhook as the service sends it, before faults are injected. */
export interface SentWebhook {
  readonly callId: string
  readonly body: unknown
  /** Resolves when it, and what waits with it of its call, was handed over, or given up. */
  readonly sent: Promise<void>
}

export type WebhookDelivery = ReturnType<typeof createDelivery>

interface DeliveryOptions {
  /** The machine's clock, for the time limit of receivers. */
  readonly clock: Clock
  /** The world's clock, which waits for deliveries. */
  readonly time: WorldClock
  readonly log: Log
  readonly openFaultInjector: OpenFaultInjector
  readonly allowHost?: AllowHost | undefined
  readonly unref?: boolean | undefined
  readonly history: WebhookHistory
  /** Aborts when the session ends by a reset or restore: webhooks of its calls are then ignored. */
  readonly closed: AbortSignal
  /** Called with each webhook, even for an assistant without a server. */
  readonly onWebhook?: ((webhook: SentWebhook) => void) | undefined
}

export function createDelivery({
  clock,
  time,
  log,
  openFaultInjector,
  allowHost,
  unref,
  history,
  closed,
  onWebhook,
}: DeliveryOptions) {
  const sender = createJsonSender({ clock, maxResponseBytes, allowHost, unref })
  /** The work on what waits of each call. */
  const underWay = new Map<unknown, Promise<void>>()
  const closing = new AbortController()

  const sendTo = (
    callId: string,
    target: WebhookTarget,
    open: { get(message: WebhookMessage): OpenWebhook | undefined },
  ): Send => {
    const url = withoutQuery(target.url)
    const brokenRules = new Set<string>()
    /** Checks the response: 200 with an object that has `message`, a string (interface.md 4.8). */
    const report = (result: SendResult, about: { callId: string; type: string; url: string }) => {
      if ('failure' in result) return log({ kind: 'delivery-failed', ...about, reason: result.failure })
      const { status, text } = result
      if (status === 200 && hasMessage(text)) return
      const answer = truncate(text, maxShownCharacters)
      if (status < 200 || status > 299) {
        const reason = `responded ${status}`
        return log({ kind: 'delivery-failed', ...about, reason, ...(answer === '' ? {} : { answer }) })
      }
      const reason =
        status === 200
          ? 'responded without a JSON object that has a message'
          : `responded ${status} instead of 200`
      if (brokenRules.has(reason)) return
      brokenRules.add(reason)
      log({ kind: 'wrong-answer', ...about, reason, answer })
    }
    const send: Send = async (message, how) => {
      const startedAt = clock.now()
      let json = ''
      const toJson = () => {
        json = message.json()
        return json
      }
      const result = await (how === 'whole' ? sender.post(target, toJson) : sender.breakOff(target, toJson))
      const outcome =
        result === undefined
          ? { reason: 'cut off' }
          : 'failure' in result
            ? { reason: result.failure }
            : { status: result.status }
      open.get(message)?.responded(json, outcome, clock.now() - startedAt)
      if (result !== undefined) report(result, { callId, type: message.type, url })
    }
    return (message, how) => {
      const sending = send(message, how)
      time.track(sending)
      return sending
    }
  }
  const idle = async () => {
    while (underWay.size > 0) await Promise.all(underWay.values())
  }
  return {
    /** The way of the webhooks of one call: sent once, one at a time, in order. Without a target nothing is sent. */
    outbox(
      call: SendingCall,
      target: WebhookTarget | undefined,
    ): { readonly send: (message: WebhookMessage, at?: number) => void } {
      const report = (message: WebhookMessage, sent: Promise<void>) =>
        onWebhook?.({ callId: call.callId, body: message.body(), sent })
      if (target === undefined)
        return {
          send(message) {
            if (message.onRequest !== true) report(message, Promise.resolve())
          },
        }
      const open = new WeakMap<WebhookMessage, OpenWebhook>()
      const faults = openFaultInjector(
        call,
        sendTo(call.callId, target, open),
        closing.signal,
        (message, fault) => open.get(message)?.struckBy(fault),
      )
      const url = withoutQuery(target.url)
      let number = 0
      const waiting: (WebhookMessage | 'flush')[] = []
      const sendAll = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          await (next === 'flush' ? faults.flush() : faults.pass(next))
        underWay.delete(waiting)
      }
      const add = (next: WebhookMessage | 'flush') => {
        waiting.push(next)
        if (!underWay.has(waiting)) underWay.set(waiting, Promise.resolve().then(sendAll))
      }
      return {
        send(message, at = clock.now()) {
          if (closed.aborted) return
          const isWanted = target.messages?.includes(message.type) ?? message.onRequest !== true
          if (isWanted) {
            number += 1
            const head = {
              call: call.callId,
              number,
              type: message.type,
              url,
              at: new Date(at).toISOString(),
            }
            open.set(message, history.begin(head))
            add(message)
          }
          // What was held back is sent, also if the last one is of a type that is not wanted.
          if (message.last === true) add('flush')
          if (isWanted) report(message, underWay.get(waiting) ?? Promise.resolve())
        },
      }
    },
    /** Resolves when nothing waits to be sent. */
    idle,
    /** Sends nothing more; what waits is not delivered. */
    giveUp: () => sender.giveUp('the sandbox stopped before it was sent'),
    /** Sends what waits, without any delay that was asked for. */
    async close() {
      closing.abort()
      await idle()
      await sender.close()
    },
  }
}

const maxResponseBytes = 64 * 1024
const maxShownCharacters = 200

function hasMessage(text: string): boolean {
  const value = parseJson(text)
  return isObject(value) && typeof value.message === 'string'
}
