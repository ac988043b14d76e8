import {
  type BatchPlan,
  type OpenBatch,
  openBatch,
  planBatch,
  type StatusCounts,
} from '../../../calls/batch/index.ts'
import { countPeople } from '../../../calls/batch/status/index.ts'
import { InvalidInput } from '../../../files/source/index.ts'
import { CallyardError } from '../../../lib/error.ts'
import { countsText } from '../../../lib/text/count.ts'
import { suggest } from '../../shell/advice.ts'
import type { Context } from '../../shell/context.ts'
import { type BatchOptions, settingsOf } from './flags.ts'

/** `12 answered, 1 rejected, 987 to call`. */
export function formatCounts(counts: StatusCounts): string {
  return countsText(
    Object.entries(counts).map(([status, number]) => [number, shownStatuses[status] ?? status] as const),
  )
}

const shownStatuses: Readonly<Record<string, string>> = {
  due: 'to call',
  waiting: 'to call again',
  'opted-out': 'opted out',
}

export interface LoadedBatch {
  readonly opened: OpenBatch
  readonly planned: BatchPlan
  readonly counts: StatusCounts
}

interface KnownBatchOptions {
  /** Paths of lists in the folder of the batch that are read too. */
  readonly moreLists?: readonly string[]
  /** True to keep people on do-not-call lists. */
  readonly ignoresLists?: boolean
  /** See ContactOptions. */
  readonly isReport?: boolean
  /** Returns the calls of a shared batch. */
  openState?(name: string): Promise<OpenBatch['state']>
}

/**
 * Opens a batch that may have been run, with the settings of its last run, and plans it for its list of people.
 * @throws InvalidInput if the batch or a list cannot be used
 */
export async function loadBatch(
  batchArg: string,
  options: BatchOptions,
  context: Context,
  { moreLists = [], ignoresLists = false, isReport = false, openState }: KnownBatchOptions = {},
): Promise<LoadedBatch> {
  const openOptions = { ...options, useRecord: true, moreLists, ...(openState && { openState }) }
  const opened = await openBatch(batchArg, settingsOf(options, context), openOptions, context)
  const doNotCall = ignoresLists ? opened.refusals : opened.doNotCall
  const now = context.clock.now()
  const planned = planBatch({ ...opened, doNotCall, now, isRunning: true, isReport })
  const problems = [...opened.problems, ...planned.problems]
  if (problems.length > 0) throw new InvalidInput(problems, 'the list cannot be read')
  return { opened, planned, counts: countPeople(opened, planned) }
}

export interface BatchInState {
  readonly name: string
  readonly state: OpenBatch['state']
}

/** @throws CallyardError `usage` for a batch that was never run */
export function assertBegun({ name, state }: BatchInState): void {
  if (state.begun !== undefined) return
  throw new CallyardError('usage', `batch ${name} has not been run`, {
    ...suggest`start it with ${['batch', 'run']}`,
  })
}
