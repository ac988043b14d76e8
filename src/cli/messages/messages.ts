import type * as z from 'zod/mini'
import type { CallyardError } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'
import type { ProjectErrors, ResourceOutcome } from '../../project/apply/index.ts'
import type { LockfileErrors } from '../../project/lockfile/index.ts'
import { explain, formatChoicesHint, skipText, summaryText } from './action.ts'
import type { explainedOutcomeSchema } from './plan-schemas.ts'
import { projectMessages } from './project.ts'
import { messageFor } from './with-words.ts'
import type { Messages } from './words.ts'

/** The words for every code of every module. Where one error is shown, `withMessage` loads less. */
export const messages = {
  ...projectMessages,
} satisfies Messages<ProjectErrors & LockfileErrors>

/** Outcome of one resource with its texts, as printed and in the document of `--json`. */
export type ExplainedOutcome = Immutable<z.infer<typeof explainedOutcomeSchema>>

export function explainOutcome({
  error,
  why,
  summary,
  reason,
  ...outcome
}: ResourceOutcome): ExplainedOutcome & Partial<Pick<CallyardError, 'details' | 'cause'>> {
  const said = { ...outcome, summary: summary && summaryText(summary), reason: reason && skipText(reason) }
  if (why !== undefined) {
    const { reason, choices } = explain(why, outcome)
    return { ...said, reason, hint: formatChoicesHint({ choices }) }
  }
  if (error === undefined) return said
  const { kind, code } = error
  const { message, hint } = messageFor(error, messages)
  return {
    ...said,
    reason: message,
    ...(outcome.status === 'failed' && { kind, code, hint, details: error.details, cause: error.cause }),
  }
}
