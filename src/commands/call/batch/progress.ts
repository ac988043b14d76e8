import {
  type BatchPlan,
  type BatchState,
  type OpenBatch,
  openBatch,
  type Person,
  type PersonStatus,
  planBatch,
  statusOf,
} from '../../../batch/index.ts'
import type { Context } from '../../../cli/context.ts'
import { countsText } from '../../../lib/text/count.ts'
import { InvalidInput } from '../../../source/index.ts'
import { type BatchOptions, settingsOf } from './flags.ts'

/** Number of people by what became of them. */
export type StatusCounts = Readonly<Record<PersonStatus, number>>

export function countStatuses(people: readonly Person[], state: BatchState): StatusCounts {
  const counts = { due: 0, placed: 0, rejected: 0, unknown: 0 }
  for (const person of people) counts[statusOf(person, state)] += 1
  return counts
}

/** `12 placed, 1 rejected, 987 to call`. */
export function formatCounts({ due, placed, rejected, unknown }: StatusCounts): string {
  return countsText([
    [placed, 'placed'],
    [rejected, 'rejected'],
    [unknown, 'unknown'],
    [due, 'to call'],
  ])
}

/**
 * Opens a batch that may have been run, and plans it for its list of people.
 * @throws InvalidInput if the batch or a list cannot be used
 */
export async function openKnownBatch(
  asked: string,
  options: BatchOptions,
  context: Context,
): Promise<{ readonly opened: OpenBatch; readonly planned: BatchPlan }> {
  const opened = await openBatch(asked, settingsOf(options), options, context)
  const planned = planBatch({ ...opened, now: context.clock.now(), isRunning: true })
  const problems = [...opened.problems, ...planned.problems]
  if (problems.length > 0) throw new InvalidInput(problems, 'the people are not known')
  return { opened, planned }
}
