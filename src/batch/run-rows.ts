import type { AttemptOutcome } from '../interface/batch.ts'
import { CallyardError } from '../lib/error.ts'
import { InvalidInput } from '../source/index.ts'
import { openBatchJournal, readBatchState } from './batch-journal.ts'
import type { Person } from './contacts.ts'
import { readRequests, requestChange, watchRequests } from './control.ts'
import type { OptOut } from './do-not-call-list.ts'
import { historyOf, rulesOf } from './next-call.ts'
import type { RowsBatch } from './open-rows.ts'
import { type BatchPlan, planBatch } from './plan.ts'
import { countStatuses, type StatusCounts } from './roster.ts'
import { createBatchRun } from './run-batch.ts'
import type { RunDeps, RunEnd } from './run-deps.ts'
import { type BatchState, type CallAttempt, outcomeOf } from './state.ts'

interface RunRowsDeps
  extends Omit<RunDeps, 'journal' | 'requests' | 'reread' | 'findBlocked' | 'eventUrl' | 'optOut'> {
  /** Folder of the state, which only this batch uses. */
  readonly folder: string
  /** True to continue a batch that is paused. */
  readonly resumes: boolean
  /** True to call people again who may have been called. */
  readonly resendUnknown: boolean
  /**
   * Takes a person who has opted out. At the start of a run it takes everybody who opted out before, because a crash may have come
   * between.
   */
  onOptOut(person: string, optOut: Omit<OptOut, 'at'>): Promise<void>
}

interface RowsResult {
  readonly end: RunEnd
  /** Why a person must resume the batch; null if nobody must. */
  readonly reason: string | null
  readonly planned: BatchPlan
  readonly counts: StatusCounts
  readonly people: readonly {
    readonly person: Person
    readonly status: keyof StatusCounts
    /** Milliseconds since the epoch; null if no further call is planned for a time. */
    readonly nextAt: number | null
    readonly attempts: readonly (Omit<CallAttempt, 'outcome'> & { readonly outcome: AttemptOutcome })[]
  }[]
}

/**
 * Runs a batch of rows with its journal and its control file, which are in `folder`.
 * @throws InvalidInput if nobody can be called, CallyardError `conflict` if the folder is in use or belongs to another service, and as
 * createBatchRun does
 */
export async function runRows(
  opened: RowsBatch,
  { folder, resumes, resendUnknown, onOptOut, ...deps }: RunRowsDeps,
): Promise<RowsResult> {
  const { clock, service } = deps
  const journal = await openBatchJournal(folder, { clock })
  try {
    const { state } = journal
    assertService(state, service)
    const planned = planBatch({ ...opened, state, now: clock.now(), isRunning: true })
    const problems = [...opened.problems, ...planned.problems]
    if (problems.length > 0) throw new InvalidInput(problems, 'nobody was called')
    for (const person of planned.people) await repeatOptOut(person, state, onOptOut)
    // With requests that no run has taken yet.
    const { paused } = await readBatchState(folder)
    if (resumes && paused !== undefined) await requestChange(folder, { request: 'resume' }, { clock })
    if (resendUnknown && countStatuses(planned.people, state, rulesOf(opened.batch)).unknown > 0)
      await requestChange(folder, { request: 'retry', outcome: 'unknown' }, { clock })
    const { run, wake, roster } = createBatchRun(planned, opened, {
      ...deps,
      journal,
      requests: offset => readRequests(folder, offset),
      findBlocked: async numbers =>
        numbers.map(number => opened.doNotCall.get(number)).find(list => list !== undefined),
      optOut: (optOut, person) => onOptOut(person, optOut),
    })
    const unwatch = watchRequests(folder, wake)
    const end = await run().finally(unwatch)
    return {
      ...{ end, planned, reason: state.paused?.reason ?? null, counts: roster.counts },
      people: roster.people().map(person => {
        const next = roster.nextCall(person.id)
        return {
          person,
          status: roster.statusOf(person.id) ?? 'due',
          nextAt: next === undefined || next.at === 0 ? null : next.at,
          attempts: historyOf(person, state).map(attempt => ({
            ...attempt,
            outcome: outcomeOf(attempt) ?? 'unknown',
          })),
        }
      }),
    }
  } finally {
    await journal.close()
  }
}

async function repeatOptOut(
  person: Person,
  state: BatchState,
  onOptOut: RunRowsDeps['onOptOut'],
): Promise<void> {
  const { id, numbers } = person
  const words = state.optedOut.get(id)
  if (words === undefined) return
  await onOptOut(id, { numbers, words, call: historyOf(person, state).at(-1)?.call ?? null })
}

/** @throws CallyardError `conflict` for a batch of another service */
function assertService({ begun }: BatchState, service: string): void {
  if (begun === undefined || begun.service === service) return
  throw new CallyardError('conflict', `this batch was begun at ${begun.service}, not at ${service}`, {
    hint: 'choose the same service, or another folder',
    details: { field: 'service' },
  })
}
