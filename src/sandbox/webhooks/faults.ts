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

interface FaultInjectorOptions {
  readonly faults: { strikesWebhook(name: WebhookFaultName, webhook: FaultyWebhook): boolean }
  readonly random: SeededRandom
  readonly time: Pick<WorldClock, 'sleep'>
  readonly log: Log
}

interface Traveller {
  readonly message: WebhookMessage
  /** Its place in the call, counted from 0. */
  readonly index: number
  readonly plan: WebhookPlan
}

/** Of the world's time. */
const maxDelayMs = 2000

/** The way to the receiver with faults on it (`--fault`). Each fault of a message is logged. */
export function createFaultInjector(options: FaultInjectorOptions): OpenFaultInjector {
  const { time, log } = options
  return ({ callId, scope }, send, hurry) => {
    let passed = 0
    /** Changes places with the message after it. */
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
    const flush = async () => {
      const waiting = held
      held = undefined
      if (waiting !== undefined) await leave(waiting)
    }
    return {
      get holding() {
        return held !== undefined
      },
      async pass(message) {
        const index = passed
        passed += 1
        const isLast = message.last === true
        const webhook = { callId, scope, index, type: message.type }
        const plan = planOf(webhook, held === undefined && !isLast, options)
        const traveller = { message, index, plan }
        if (plan.place === 'after-the-next') {
          report(traveller, 'reorder')
          held = traveller
          return
        }
        if (plan.place === 'none') report(traveller, 'drop')
        else await leave(traveller)
        // A message that waits does so for the next one that is sent; the last one of a call sets it free in any case.
        if (held !== undefined && (plan.place !== 'none' || isLast)) await flush()
      },
      flush,
    }
  }
}

/** What is to become of one message. */
interface WebhookPlan {
  /** `none`: never sent; it gets no other fault. */
  readonly place: 'own' | 'after-the-next' | 'none'
  /** The part of the longest delay, from 0 to 1, that it waits before it is sent. */
  readonly delay?: number | undefined
  /** `cut`: the connection is broken in the middle of the body, and it is not sent again. */
  readonly sending: 'once' | 'twice' | 'cut'
}

/**
 * The faults of the message with this place in its call, counted from 0. Depends on nothing else, so the same seed and
 * call bring the same faults. A drop wins over everything, a disconnect over a duplicate. A fault without effect does not strike.
 * `mayWait`: no other message waits, and another one follows.
 */
function planOf(
  webhook: FaultyWebhook,
  mayWait: boolean,
  { faults, random }: Pick<FaultInjectorOptions, 'faults' | 'random'>,
): WebhookPlan {
  const strikes = (name: WebhookFaultName) => faults.strikesWebhook(name, webhook)
  if (strikes('drop')) return { place: 'none', sending: 'once' }
  const { callId, index } = webhook
  return {
    place: mayWait && strikes('reorder') ? 'after-the-next' : 'own',
    delay: strikes('delay') ? random('webhook', callId, index, 'length of the delay') : undefined,
    sending: strikes('disconnect') ? 'cut' : strikes('duplicate') ? 'twice' : 'once',
  }
}
