import type { AttemptOutcome, BatchFile, CallKind, PersonStatus } from '../../../files/formats/batch.ts'
import { type BatchChanges, compareBatch, hashPeople, maskedBatch } from '../batch-record.ts'
import type { Person } from '../contacts.ts'
import { type CallRules, historyOf, planNextCall, rulesOf, statusOf } from '../next-call.ts'
import type { OpenBatch } from '../open-batch.ts'
import type { BatchPlan } from '../plan.ts'
import { countStatuses, type StatusCounts } from '../queue.ts'
import { type BatchState, outcomeOf } from '../state.ts'
import { type PersonResult, resultOf, uncalledResult } from './results.ts'

interface CalledBatch {
  readonly batch: BatchFile
  readonly state: BatchState
}

/** Returns the number of people by status. */
export function countPeople({ state, batch }: CalledBatch, { people }: BatchPlan): StatusCounts {
  return countStatuses(people, state, rulesOf(batch))
}

/** Returns a row for each person, and then one for each row of which nobody is called. */
export function resultsOf(
  { state, batch }: CalledBatch,
  { people, uncalled }: BatchPlan,
): readonly PersonResult[] {
  const rules = rulesOf(batch)
  return [...people.map(person => resultOf(person, state, rules)), ...uncalled.map(uncalledResult)]
}

/** Returns what has changed in a batch and its lists since the last run; undefined before the first one. */
export function findChanges(opened: OpenBatch, { people }: BatchPlan): BatchChanges | undefined {
  const { record } = opened
  return record && compareBatch(record, maskedBatch(opened), hashPeople(people))
}

/** A person and their calls. Times are milliseconds since the epoch. */
export interface PersonHistory {
  readonly status: PersonStatus
  /** Null if no call is planned, or if it is due now. */
  readonly nextAt: number | null
  readonly attempts: readonly {
    readonly at: number
    readonly number: string
    readonly from: string
    readonly kind: CallKind
    readonly call: string | null
    readonly outcome: AttemptOutcome
    readonly seconds: number | null
    readonly endedBy: string | null
    readonly reason: string | null
    readonly summary: string | null
  }[]
}

/** Returns the calls to a person, oldest first. */
export function describePerson(person: Person, state: BatchState, rules: CallRules): PersonHistory {
  const next = planNextCall(person, state, rules)
  return {
    status: statusOf(person, state, rules),
    nextAt: next === undefined || next.at === 0 ? null : next.at,
    attempts: historyOf(person, state).map(attempt => {
      const { at, number, from, kind, call, seconds, endedBy, reason, analysis } = attempt
      return {
        ...{ number, from, kind, call, seconds, endedBy, reason },
        at: Date.parse(at),
        outcome: outcomeOf(attempt) ?? 'unknown',
        summary: analysis?.summary ?? null,
      }
    }),
  }
}
