import { randomUUID } from 'node:crypto'
import { CallyardError, getErrorReason } from '../../../lib/error.ts'
import { hasKnownOutcome } from '../../../service/api/index.ts'
import type { Person } from '../contacts.ts'
import { createVerdicts } from '../eligibility.ts'
import { type CallRules, type NextCall, planNextCall } from '../next-call.ts'
import type { CallQueue } from '../queue.ts'
import type { BatchState } from '../state.ts'
import { clockError, maxClockErrorMs } from './clock-error.ts'
import type { EventHandler } from './event-handler.ts'
import type { LiveCalls } from './live-calls.ts'
import type { RunDeps } from './run-deps.ts'

type FailedPlacement = 'not-sent' | 'rejected' | 'unknown'

type Placement =
  | { readonly call: string | null }
  | { readonly error: unknown; readonly outcome: FailedPlacement }

interface CallerParts {
  readonly deps: RunDeps
  readonly rules: CallRules
  readonly live: LiveCalls
  readonly queue: CallQueue
  readonly events: EventHandler
  /** Milliseconds between the beginnings of two calls. */
  readonly intervalMs: number
  /** Keys of the attempts of this run. */
  readonly own: Set<string>
  /** True if a person in this time zone may be called now. */
  isOpen(zone: string): boolean
}

interface Sender {
  readonly from: string
  /** Version of the journal when the call was decided. */
  readonly version: number
}

/** First wait after 429 or 503; it doubles. */
const firstBusyMs = 30_000
const maxBusyMs = 10 * 60_000
/** Calls in a row whose outcome is unknown, or that are rejected: then the service or the settings are wrong, and not the rows. */
const maxInRow = { unknown: 3, rejected: 5 } as const
/** A call that was decided longer ago is not placed: the process was stopped, and the window may have closed. */
const maxClaimMs = 30_000
/** People who are checked by one start of the program. */
const maxChecked = 100

/** Calls people, one request after the other. Each call is in the journal before its request is sent. */
export function createCaller({ deps, rules, live, queue, events, own, intervalMs, isOpen }: CallerParts) {
  const { clock, monotonicMs = clock.now, signal, journal } = deps
  const { state } = journal
  const verdicts = deps.check === undefined ? undefined : createVerdicts(deps.check, state, clock)
  let nextAt = journal.isShared ? firstCallAt(state, intervalMs, clock.now()) : 0
  let busyUntil = 0
  let busyMs = firstBusyMs
  let inRow = { unknown: 0, rejected: 0 }
  const stamp = () => new Date(clock.now()).toISOString()

  /** Also measures the time in which the process was stopped or the machine suspended. */
  const startStopwatch = () => {
    const [at, since] = [clock.now(), monotonicMs()]
    return () => Math.max(clock.now() - at, monotonicMs() - since)
  }
  const skip = async ({ id: person, numbers: allNumbers }: Person, reason: string, { version }: Sender) => {
    const numbers = [...allNumbers]
    const isSkipped = await journal.append({ step: 'skipped', at: stamp(), person, numbers, reason }, version)
    if (!isSkipped) queue.requeue(person)
  }
  const notSent = (attempt: string, reason: string) =>
    journal.append({ step: 'failed', at: stamp(), attempt, outcome: 'not-sent', reason })
  const dial = async (person: Person, { number: to, kind }: NextCall, { from, version }: Sender) => {
    const attempt = randomUUID()
    const { id } = person
    const elapsed = startStopwatch()
    own.add(attempt)
    const recordedBytes = deps.recordedBytes?.()
    const step = {
      ...({ step: 'calling', at: stamp(), attempt, person: id, number: to, from, kind } as const),
      ...(recordedBytes !== undefined && { events: recordedBytes }),
    }
    if (!(await journal.append(step, version))) {
      own.delete(attempt)
      return queue.requeue(id)
    }
    if (elapsed() > maxClaimMs) return void (await notSent(attempt, 'it was decided too long ago'))
    if (Math.abs(journal.clockAheadMs) > maxClockErrorMs) {
      await notSent(attempt, 'the clock is wrong')
      throw clockError(journal.clockAheadMs)
    }
    const number = state.attempts.get(id)?.filter(({ outcome }) => outcome !== 'not-sent').length ?? 1
    const placed = await deps.call({ attempt, person, from, to, number }).then(
      ({ id: call = null }): Placement => ({ call }),
      // The response was lost, but an event shows that the call exists.
      (error: unknown): Placement => {
        const outcome = outcomeOfError(error)
        return outcome === 'unknown' && events.hasUpdate(attempt) ? { call: null } : { error, outcome }
      },
    )
    if ('error' in placed) {
      const { error, outcome } = placed
      await journal.append({ step: 'failed', at: stamp(), attempt, outcome, reason: getErrorReason(error) })
      if (outcome === 'not-sent') return onNotSent(error)
      inRow[outcome] += 1
      if (inRow[outcome] >= maxInRow[outcome]) throw error
      return
    }
    await journal.append({ step: 'placed', at: stamp(), attempt, call: placed.call })
    inRow = { unknown: 0, rejected: 0 }
    busyMs = firstBusyMs
  }
  /** @throws the error unless the service is busy, or the run is paused */
  const onNotSent = (error: unknown) => {
    if (signal.aborted) return
    if (!isBusy(error)) throw error
    busyUntil = clock.now() + busyMs
    nextAt = busyUntil
    busyMs = Math.min(busyMs * 2, maxBusyMs)
  }
  return {
    /** Earliest time of the next call, by the rate and a busy service. */
    get nextAt() {
      return nextAt
    },
    /** A call has begun. */
    onCalling(): void {
      nextAt = Math.max(nextAt, clock.now()) + intervalMs
    },
    /** Shifts the waits after the clock was set back. The last call may have begun before or after that. */
    onSetBack(milliseconds: number): void {
      nextAt = Math.min(nextAt, Math.max(nextAt - milliseconds, clock.now() + intervalMs))
      busyUntil -= milliseconds
    },
    /** True while the service is busy. */
    isBusyAt: (time: number): boolean => time < busyUntil,
    /**
     * Calls a person unless something has happened since the call was planned.
     * @throws CallyardError of the service and of the check
     */
    async call(person: Person, sender: Sender): Promise<void> {
      const next = planNextCall(person, state, rules)
      if (next === undefined || live.hasPerson(person.id)) return
      if (verdicts !== undefined) {
        const people = queue.upcoming(person.zone, maxChecked - 1)
        const verdict = await verdicts.of(person, people).catch(error => {
          if (!signal.aborted) throw error
        })
        if (verdict === undefined) return queue.requeue(person.id)
        if (verdict !== 'yes') return skip(person, `check: ${verdict}`, sender)
      }
      const reason = await deps.findBlocked?.(person.numbers)
      if (reason !== undefined) return skip(person, reason, sender)
      if (next.at > clock.now() || !isOpen(person.zone) || signal.aborted) return queue.requeue(person.id)
      await dial(person, next, sender)
    },
  }
}

/** Returns when a runner that joins others may call: one interval after their last call, whose time is that of another clock. */
function firstCallAt({ attempts }: BatchState, intervalMs: number, now: number): number {
  let last = Number.NEGATIVE_INFINITY
  for (const personAttempts of attempts.values())
    last = Math.max(last, Date.parse(personAttempts.at(-1)?.at ?? ''))
  return Math.min(now, last + maxClockErrorMs) + intervalMs
}

/** Returns whether a call may have been placed. Not placed and not the fault of its row: it is placed later. */
function outcomeOfError(error: unknown): FailedPlacement {
  if (!hasKnownOutcome(error)) return 'unknown'
  if (!(error instanceof CallyardError)) return 'unknown'
  const { outcome } = error.details
  const isRow =
    outcome === 'refused' && error.kind === 'refused' && !isBusy(error) && error.details.status !== 402
  return isRow ? 'rejected' : 'not-sent'
}

function isBusy(error: unknown): boolean {
  return error instanceof CallyardError && [429, 503].includes(Number(error.details.status))
}
