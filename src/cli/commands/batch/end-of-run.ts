import type { StatusCounts } from '../../../calls/batch/index.ts'
import type { RunEnd } from '../../../calls/batch/run/index.ts'
import { CallyardError, type CommandWords, getErrorReason } from '../../../lib/error.ts'
import { count } from '../../../lib/text/count.ts'
import { suggest } from '../../shell/advice.ts'
import { formatCounts } from './load-batch.ts'

interface PausedRun {
  readonly counts: StatusCounts
  /** Number of calls whose end has not arrived. */
  readonly inProgress: number
  /** Command that continues the batch. */
  readonly resume: CommandWords
}

interface RunResult extends PausedRun {
  readonly name: string
  readonly end: RunEnd
  /** Rows with errors. */
  readonly invalid: number
  /** Reason of a pause that a person must end. */
  readonly reason: string | null
  readonly areResultsWritten: boolean
}

/** Returns the error of a run that failed; `conflict` if somebody may have been called. */
export function failureOf(error: unknown, { unknown }: StatusCounts): unknown {
  if (unknown === 0) return error
  const people = count(unknown, 'person', 'people')
  return new CallyardError('conflict', `${people} may have been called: ${getErrorReason(error)}`, {
    ...mayHaveBeenCalled,
    cause: error,
  })
}

const mayHaveBeenCalled = suggest`look at the service; to call them again, pass --retry-unknown (${['batch', 'status']} lists them)`

/** Returns the error of a run that Ctrl-C ended. */
export function pausedError({ counts, inProgress, resume }: PausedRun): CallyardError {
  const calls = inProgress === 1 ? '1 call continues' : `${inProgress} calls continue`
  const left = inProgress === 0 ? '' : `; ${calls} at the service, and the next run takes the outcome`
  return new CallyardError('cancelled', `paused; ${formatCounts(counts)}${left}`, {
    ...suggest`to continue, run the same command again, or: ${resume}`,
    details: { inProgress },
  })
}

/** Command that writes the results of a batch. */
export function exportCommand(name: string): CommandWords {
  return ['batch', 'export', name, '--out', '<file>']
}

/** @throws CallyardError unless everybody was called and the results are written */
export function throwUnlessDone(result: RunResult): void {
  const { name, end, counts, invalid, reason, resume, areResultsWritten } = result
  const { due, waiting, rejected, unknown, skipped } = counts
  if (end === 'paused') throw pausedError(result)
  if (unknown > 0) {
    throw new CallyardError('conflict', `${count(unknown, 'person', 'people')} may have been called`, {
      ...mayHaveBeenCalled,
      details: counts,
    })
  }
  const left = due + waiting
  if (left + rejected + invalid + skipped === 0) {
    if (areResultsWritten) return
    throw new CallyardError('partial', 'everybody was called, and the results are not written', {
      ...suggest`to write them: ${exportCommand(name)}`,
      details: { ...counts, invalid },
    })
  }
  const reasons = { limit: ' (limit of calls)', ended: ' (end of the batch)', done: '' }
  const parts = [
    ...(left > 0
      ? [
          `${count(left, 'person', 'people')} left${end in reasons ? reasons[end as keyof typeof reasons] : ''}`,
        ]
      : []),
    ...(rejected > 0 ? [`${rejected} rejected by the service`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(invalid > 0 ? [`${count(invalid, 'row')} not valid`] : []),
  ]
  if (end === 'stopped' || end === 'cancelled') {
    const endText = end === 'stopped' ? `paused${reason === null ? '' : ` (${reason})`}` : 'cancelled'
    throw new CallyardError('partial', `batch ${name} was ${endText}: ${parts.join(', ')}`, {
      ...(end === 'stopped' && suggest`to continue: ${resume}`),
      details: { ...counts, invalid },
    })
  }
  throw new CallyardError('partial', `not everybody was called: ${parts.join(', ')}`, {
    ...(rejected > 0 &&
      suggest`to try the rejected ones again: ${['batch', 'retry', name, '--outcome', 'rejected']}`),
    details: { ...counts, invalid },
  })
}
