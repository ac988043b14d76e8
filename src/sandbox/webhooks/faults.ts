import type { WorldClock } from '../clock/world-clock.ts'
import type { SeededRandom } from '../deterministic.ts'
import type { Log, WebhookFaultName } from '../events.ts'
import type { OpenFaultInjector, WebhookMessage } from './delivery.ts'

/** One webhook on its way. */
export interface FaultyWebhook {
  readonly callId: string
  /** Its place in the call, counted from 0. */
  readonly index: number
  readonly type: string
  /** Of the request that placed the call. */
  readonly scope: string | undefined
}

/** Says what is to go wrong. */
export interface WebhookFaultSource {
  /** Whether a fault comes to a webhook. It is then counted. */
  strikesWebhook(name: WebhookFaultName, webhook: FaultyWebhook): boolean
}

interface FaultInjectorOptions {
  readonly faults: WebhookFaultSource
  readonly random: SeededRandom
  readonly time: Pick<WorldClock, 'sleep'>
  readonly log: Log
}

interface Traveller {
  readonly message: WebhookMessage
  /** Its place in the call, counted from 0. */
  readonly index: number
  readonly plan: WebhookPlan
  /** No message of the call follows it. */
  readonly last: boolean
}

/** Of the world's time. */
const maxDelayMs = 2000

/** The way to the receiver with faults on it (`--fault`). Each fault of a message is logged. */
export function createFaultInjector({ faults, random, time, log }: FaultInjectorOptions): OpenFaultInjector {
  return ({ callId, scope }, send, hurry) => {
    let passed = 0
    let held: Traveller | undefined

    const report = ({ message, index }: Traveller, fault: WebhookFaultName) =>
      log({ kind: 'fault', fault, callId, type: message.type, index })
    const leave = async (traveller: Traveller) => {
      const { message, plan } = traveller
      if (plan.delay !== undefined) {
        report(traveller, 'delay')
        // It rejects only when the sandbox stops; then the message leaves at once.
        await time.sleep(Math.ceil(plan.delay * maxDelayMs), hurry).catch(() => undefined)
      }
      if (plan.sending === 'cut') {
        report(traveller, 'disconnect')
        return send(message, 'in-part')
      }
      await send(message, 'whole')
      if (plan.sending === 'once') return
      report(traveller, 'duplicate')
      await send(message, 'whole')
    }
    return {
      get holding() {
        return held !== undefined
      },
      async pass(message) {
        const index = passed
        passed += 1
        const last = message.last === true
        const webhook = { callId, scope, index, type: message.type }
        const plan = planOf(webhook, { faults, random, mayWait: held === undefined && !last })
        const traveller = { message, index, plan, last }
        const arranged = reorder(held, traveller)
        held = arranged.held
        if (plan.drop) report(traveller, 'drop')
        if (held === traveller) report(traveller, 'reorder')
        for (const each of arranged.leaving) await leave(each)
      },
      async flush() {
        const waiting = held
        held = undefined
        if (waiting !== undefined) await leave(waiting)
      },
    }
  }
}

/** What is to become of one message. */
interface WebhookPlan {
  /** Never sent; it gets no other fault. */
  readonly drop: boolean
  /** Changes places with the message after it. */
  readonly reorder: boolean
  /** The part of the longest delay, from 0 to 1, that it waits before it is sent. */
  readonly delay: number | undefined
  /** `cut`: the connection is broken in the middle of the body, and it is not sent again. */
  readonly sending: 'once' | 'twice' | 'cut'
}

interface PlanOptions extends Pick<FaultInjectorOptions, 'faults' | 'random'> {
  /** Whether it can change places: no other message waits, and another one follows. */
  readonly mayWait: boolean
}

/**
 * The faults of the message with this place in its call, counted from 0. Depends on nothing else, so the same seed and
 * call bring the same faults. A drop wins over everything, a disconnect over a duplicate. A fault without effect does not strike.
 */
function planOf(webhook: FaultyWebhook, { faults, random, mayWait }: PlanOptions): WebhookPlan {
  const strikes = (name: WebhookFaultName) => faults.strikesWebhook(name, webhook)
  if (strikes('drop')) return { drop: true, reorder: false, delay: undefined, sending: 'once' }
  const { callId, index } = webhook
  return {
    drop: false,
    reorder: mayWait && strikes('reorder'),
    delay: strikes('delay') ? random('webhook', callId, index, 'length of the delay') : undefined,
    sending: strikes('disconnect') ? 'cut' : strikes('duplicate') ? 'twice' : 'once',
  }
}

interface Reordered {
  /** Waits for the message after it. */
  readonly held: Traveller | undefined
  /** Sent now, in this order. */
  readonly leaving: readonly Traveller[]
}

/**
 * Which messages leave when it is the turn of this one, and which waits. One message waits at most: a reordered message
 * waits for the next one that is sent, and that one does not wait too. The last one of a call has none to wait for, and
 * sets free what still waits.
 */
function reorder(held: Traveller | undefined, message: Traveller): Reordered {
  const { plan, last } = message
  if (plan.reorder) return { held: message, leaving: [] }
  if (plan.drop && !last) return { held, leaving: [] }
  const leaving = [...(plan.drop ? [] : [message]), ...(held === undefined ? [] : [held])]
  return { held: undefined, leaving }
}
