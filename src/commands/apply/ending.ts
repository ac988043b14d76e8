import type { ExplainedOutcome } from '../../cli/messages/outcome.ts'
import { CallwrightError } from '../../lib/error.ts'

/**
 * How an apply ends: undefined when all is done. 9 when nobody knows what the service has; 8 when some is done, or
 * blocked; where nothing at all could be done, as the failures themselves would have ended.
 */
export function ending(
  outcomes: readonly ExplainedOutcome[],
  signal: AbortSignal,
): CallwrightError | undefined {
  const open = outcomes.filter(({ status }) => status !== 'done')
  const [first] = open
  if (first === undefined) return undefined
  const failed = open.filter(({ status }) => status === 'failed')
  const unknown = failed.filter(each => each.unknown === true)
  const details = { notDone: open.map(({ address }) => address) }
  const what =
    open.length === 1
      ? `${first.address} is not applied`
      : `${open.length} of ${outcomes.length} resources are not applied`
  if (unknown.length > 0) {
    const names = unknown.map(({ address }) => address).join(', ')
    return new CallwrightError('conflict', `${what}; whether the service has ${names} is not known`, {
      hint: unknown[0]?.hint,
      details,
    })
  }
  const conflict = failed.find(({ kind }) => kind === 'conflict')
  if (conflict !== undefined) return new CallwrightError('conflict', what, { hint: conflict.hint, details })
  if (signal.aborted) {
    return new CallwrightError('cancelled', `cancelled; ${what}`, {
      hint: 'run again: it does only the rest',
      details,
    })
  }
  const nothingDone = open.length === outcomes.length && open.every(({ status }) => status !== 'blocked')
  const kinds = new Set(failed.map(({ kind }) => kind))
  const kind = nothingDone && kinds.size === 1 ? (failed[0]?.kind ?? 'partial') : 'partial'
  return new CallwrightError(kind, what, { hint: hintFor(open), details })
}

function hintFor(open: readonly ExplainedOutcome[]): string {
  if (open.every(({ status }) => status === 'blocked')) return 'each says above what you can choose'
  return 'when that is solved, run again: it does only the rest'
}
