import { resolve } from 'node:path'
import type { ProgramEnvironment } from '../../../lib/process/program-environment.ts'
import type { FileJournal } from '../batch-journal.ts'
import { hashPeople, maskedBatch, writeBatchRecord } from '../batch-record.ts'
import type { Person } from '../contacts.ts'
import { readRequests, watchRequests } from '../control.ts'
import { createCheck } from '../eligibility.ts'
import type { BatchJournal } from '../journal.ts'
import type { OpenBatch } from '../open-batch.ts'
import type { BatchPlan } from '../plan.ts'
import { sharedFactsOf } from '../shared-facts.ts'
import { keepResults, keepStatusSnapshot } from '../status/index.ts'
import { type OptOut, openDoNotCallList } from './do-not-call-list.ts'
import { createBatchRun } from './run-batch.ts'
import type { RunDeps } from './run-deps.ts'
import type { RunEnd } from './run-events.ts'

/** Opt-outs that all machines have in common. */
export interface SharedOptOuts {
  /** True if one of these numbers has opted out. */
  has(numbers: readonly string[]): Promise<boolean>
  add(optOut: OptOut): Promise<void>
}

export interface PrepareRunDeps
  extends Omit<
    RunDeps,
    'journal' | 'check' | 'optOut' | 'findBlocked' | 'requests' | 'reread' | 'shared' | 'maxCallMs'
  > {
  readonly journal: BatchJournal | FileJournal
  readonly cwd: string
  readonly env: ProgramEnvironment
  /** True to call people on do-not-call lists too. */
  readonly ignoresLists: boolean
  /** Opt-outs of batches on several machines. */
  readonly optOuts?: SharedOptOuts | undefined
  /** Reads the people again after a list was added. */
  reread(before: readonly Person[]): Promise<readonly Person[]>
  /** Called once if the results cannot be written: the journal has them. */
  onResultsError(error: unknown): void
}

/**
 * Prepares a run of a batch with its files: the command of `check`, the do-not-call list, requests from other terminals, the record of the
 * last run, and the results.
 * @throws CallyardError `usage` for a command or a results file that cannot be used
 */
export async function prepareRun(
  opened: OpenBatch,
  planned: BatchPlan,
  { cwd, env, ignoresLists, optOuts, onResultsError, ...deps }: PrepareRunDeps,
) {
  const { batch, baseFolder, stateFolder, path, settings } = opened
  const { clock, monotonicMs = clock.now, journal } = deps
  const { check } = batch
  const list = openDoNotCallList(opened, { cwd, clock })
  const run = createBatchRun(planned, batch, opened.file, {
    ...deps,
    ...(check !== undefined && {
      check: createCheck(check, { clock, signal: deps.signal, cwd: baseFolder, env }),
    }),
    findBlocked: async numbers => {
      const row = numbers.map(number => opened.refusals.get(number)).find(refusal => refusal !== undefined)
      if (row !== undefined || ignoresLists) return row && `not to be called, by ${row}`
      const file = await list.find(numbers)
      if (file !== undefined) return `on the do-not-call list ${file}`
      const isOptedOut = (await optOuts?.has(numbers)) === true
      return isOptedOut ? 'on the do-not-call list of opt-outs at the broker' : undefined
    },
    ...(journal.isShared
      ? { shared: sharedFactsOf(opened, planned) }
      : { requests: offset => readRequests(stateFolder, offset) }),
    maxCallMs: opened.maxMinutes === undefined ? undefined : opened.maxMinutes * 60_000,
    async optOut(optOut) {
      await list.add(optOut)
      await optOuts?.add(optOut)
    },
    onEvent(event) {
      deps.onEvent(event)
      if ('person' in event) results?.update(event.person)
      snapshot?.update()
    },
  })
  const { queue, rules } = run
  // `batch status` leaves out the people on these lists.
  const snapshot =
    ignoresLists || !('index' in journal) ? undefined : keepStatusSnapshot({ opened, planned, journal })
  const results =
    batch.results === undefined
      ? undefined
      : await keepResults(resolve(baseFolder, batch.results), {
          ...{
            queue,
            rules,
            monotonicMs,
            uncalled: planned.uncalled,
            state: journal.state,
            onError: onResultsError,
          },
        })
  let areResultsWritten = true
  return {
    ...run,
    get waiting() {
      return run.waiting
    },
    /** False after a run whose results could not be written. */
    get areResultsWritten() {
      return areResultsWritten
    },
    /** Runs the batch: see createBatchRun. */
    async run(): Promise<RunEnd> {
      const people = hashPeople(planned.people)
      await writeBatchRecord(stateFolder, {
        file: path,
        settings: { ...settings },
        batch: maskedBatch(opened),
        people,
      })
      const unwatch = watchRequests(stateFolder, run.wake)
      try {
        return await run.run()
      } finally {
        unwatch()
        areResultsWritten = (await results?.finish()) ?? true
        await snapshot?.finish()
      }
    },
  }
}
