import type { WebhookFaultName } from '../../files/formats/fault-names.ts'
import type { Sleeper } from '../../lib/clock.ts'
import type { SeededRandom } from '../../lib/deterministic.ts'
import type { Log } from '../event-schemas.ts'

/** interface.md 6: one webhook message. Made when its turn comes, so that what waits costs no memory. */
export interface WebhookMessage {
  readonly type: string
  /** The call sends nothing after it. */
  readonly last?: boolean
  /** Sent only if `messages` of the assistant names its type. */
  readonly onRequest?: boolean
  body(): unknown
  json(): string
}

export interface SendingCall {
  readonly callId: string
  /** X-Sandbox-Scope of the request that placed it. */
  readonly scope: string | undefined
}

/** Sends a message once: the whole of it, or its first half, so that the receiver sees it break off. */
export type Send = (message: WebhookMessage, how: 'whole' | 'in-part') => Promise<void>

/** One webhook on its way. */
export interface FaultyWebhook extends SendingCall {
  /** 0-based position in the call. */
  readonly index: number
  readonly type: string
}

interface FaultInjectorOptions {
  readonly faults: { strikesWebhook(name: WebhookFaultName, webhook: FaultyWebhook): boolean }
  readonly random: SeededRandom
  readonly time: Sleeper
  readonly log: Log
}

export type OpenFaultInjector = ReturnType<typeof createFaultInjector>

/** Maximum delay on the world's clock. */
const maxDelayMs = 2000

/**
 * The way of one call's messages to their receiver with faults on it (`--fault`), one after another; once `hurry` aborts nothing may
 * wait any longer. The faults of a message depend on its call, its place in it and the seed alone. A drop wins over everything, a
 * disconnect over a duplicate. Each is logged; a fault without effect does not strike.
 */
export function createFaultInjector({ faults, random, time, log }: FaultInjectorOptions) {
  return (
    { callId, scope }: SendingCall,
    send: Send,
    hurry: AbortSignal,
    onFault: (message: WebhookMessage, fault: WebhookFaultName) => void = () => {},
  ) => {
    let passed = 0
    /** Sends the message that changes places with the one after it. */
    let heldDelivery: (() => Promise<void>) | undefined

    const flush = async () => {
      const leave = heldDelivery
      heldDelivery = undefined
      await leave?.()
    }
    return {
      async pass(message: WebhookMessage) {
        const { type, last: isLast = false } = message
        const index = passed
        passed += 1
        const strikes = (fault: WebhookFaultName) =>
          faults.strikesWebhook(fault, { callId, scope, index, type })
        const report = (fault: WebhookFaultName) => {
          log({ kind: 'fault', fault, callId, type, index })
          onFault(message, fault)
        }
        if (strikes('drop')) {
          report('drop')
          // Held messages wait for the next message, and nothing follows the last one.
          if (isLast) await flush()
          return
        }
        const isReordered = heldDelivery === undefined && !isLast && strikes('reorder')
        const isDelayed = strikes('delay')
        const breaksOff = strikes('disconnect')
        const isDoubled = !breaksOff && strikes('duplicate')
        const leave = async () => {
          if (isDelayed) {
            report('delay')
            const part = random('webhook', callId, index, 'length of the delay')
            // It rejects only when the sandbox stops; then the message leaves at once.
            await time.sleep(Math.ceil(part * maxDelayMs), hurry).catch(() => undefined)
          }
          if (breaksOff) report('disconnect')
          await send(message, breaksOff ? 'in-part' : 'whole')
          if (!isDoubled) return
          report('duplicate')
          await send(message, 'whole')
        }
        if (isReordered) {
          report('reorder')
          heldDelivery = leave
          return
        }
        await leave()
        await flush()
      },
      flush,
    }
  }
}
