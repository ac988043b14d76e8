import {
  type AttemptOutcome,
  type BatchFile,
  type PauseTrigger,
  readStopCondition,
} from '../../../files/formats/batch.ts'
import type { BatchState } from '../state.ts'

/** Why a batch pauses itself. */
export interface BrakeReason {
  readonly by: PauseTrigger
  readonly reason: string
}

/**
 * Returns why a batch must pause: `first` calls have finished and no person has resumed the batch since, or a condition of `stopWhen`
 * holds for the last calls.
 */
export function findBrake(
  { first, stopWhen = [] }: BatchFile,
  { isResumed, recent }: BatchState,
  finished: number,
): BrakeReason | undefined {
  if (first !== undefined && !isResumed && finished >= first)
    return { by: 'first', reason: `first: ${first}` }
  const condition = [stopWhen].flat().find(text => holds(text, recent))
  return condition === undefined ? undefined : { by: 'stopWhen', reason: condition }
}

/** Returns how many more calls may begin before `first` pauses the batch, with those in progress. */
export function callsBeforeBrake({ first }: BatchFile, { isResumed }: BatchState, started: number): number {
  return first === undefined || isResumed ? Number.POSITIVE_INFINITY : first - started
}

/** A condition holds only once there are as many calls as it looks back at. */
function holds(text: string, recent: readonly AttemptOutcome[]): boolean {
  const condition = readStopCondition(text)
  if (condition === undefined || recent.length < condition.last) return false
  const { outcome, max, last } = condition
  return recent.slice(-last).filter(recentOutcome => recentOutcome === outcome).length > max
}
