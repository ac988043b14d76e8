import type { ErrorKind } from '../../lib/error.ts'
import type { ResourceOutcome } from '../../project/index.ts'
import { explain, hintOf } from './action.ts'
import { wordsOf } from './messages.ts'

/** What became of one resource, with the words for it: as it is printed, and stands in the document of `--json`. */
export interface ExplainedOutcome extends Omit<ResourceOutcome, 'error' | 'why'> {
  /** What to do next. */
  readonly hint?: string
  /** Failed: as which error a command of its own would have ended. */
  readonly kind?: ErrorKind
  /** Failed: which case of that, where it has a code. */
  readonly code?: string
}

export function explained({ error, why, ...outcome }: ResourceOutcome): ExplainedOutcome {
  if (why !== undefined) {
    const { reason, choices } = explain(why, outcome)
    return { ...outcome, reason, hint: hintOf({ choices }) }
  }
  if (error === undefined) return outcome
  const { kind, code } = error
  const { message, hint } = wordsOf(error)
  if (outcome.status === 'skipped') return { ...outcome, reason: message }
  return {
    ...outcome,
    reason: message,
    kind,
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
  }
}
