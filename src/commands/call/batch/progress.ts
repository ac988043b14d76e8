import { type BatchState, type Person, type PersonStatus, statusOf } from '../../../batch/index.ts'
import { countsText } from '../../../lib/text/count.ts'

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
