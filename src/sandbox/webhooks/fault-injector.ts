import type { Clock } from '../../lib/clock.ts'
import {
  planOf,
  reorder,
  type SeededRandom,
  type WebhookFaultName,
  type WebhookFaults,
  type WebhookPlan,
} from '../faults/faults.ts'
import type { Log } from '../log/events.ts'
import type { OpenFaultInjector, WebhookMessage } from './delivery.ts'

interface FaultInjectorOptions {
  readonly faults: WebhookFaults
  readonly random: SeededRandom
  readonly clock: Clock
  readonly pace: number
  readonly log: Log
}

interface Traveller {
  readonly message: WebhookMessage
  /** Its place in the call, counted from 0. */
  readonly index: number
  readonly plan: WebhookPlan
  readonly last: boolean
}

/** Milliseconds of the call's time. */
const maxDelayMs = 2000
/** Milliseconds, where the call's time does not pass by itself (pace 0). */
const maxDelayWithoutPaceMs = 20

/** The way to the receiver with faults on it (`--fault`). Each fault of a message is logged. */
export function createFaultInjector({
  faults,
  random,
  clock,
  pace,
  log,
}: FaultInjectorOptions): OpenFaultInjector {
  const longest = pace === 0 ? maxDelayWithoutPaceMs : maxDelayMs / pace
  return (callId, send, hurry) => {
    let passed = 0
    let held: Traveller | undefined

    const tell = ({ message, index }: Traveller, fault: WebhookFaultName) =>
      log({ kind: 'fault', fault, callId, type: message.type, index })
    const leave = async (traveller: Traveller) => {
      const { message, plan } = traveller
      if (plan.delay !== undefined) {
        tell(traveller, 'delay')
        // It rejects only when the sandbox stops; then the message leaves at once.
        await clock.sleep(Math.ceil(plan.delay * longest), hurry).catch(() => undefined)
      }
      if (plan.sending === 'cut') {
        tell(traveller, 'disconnect')
        return send(message, 'in-part')
      }
      await send(message, 'whole')
      if (plan.sending === 'once') return
      tell(traveller, 'duplicate')
      await send(message, 'whole')
    }
    return {
      get holding() {
        return held !== undefined
      },
      async pass(message) {
        const index = passed
        passed += 1
        const plan = planOf(faults, random, { callId, index })
        const traveller = { message, index, plan, last: message.last === true }
        const arranged = reorder(held, traveller)
        held = arranged.held
        if (plan.drop) tell(traveller, 'drop')
        if (held === traveller) tell(traveller, 'reorder')
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
