import type { ErrorKind } from '../../lib/error.ts'
import type { ProfileErrors } from '../../profile/index.ts'
import type { ProjectErrors, ResourceOutcome } from '../../project/index.ts'
import type { SandboxErrors } from '../../sandbox/index.ts'
import type { CassetteErrors } from '../../scenario/index.ts'
import type { WebhookErrors } from '../../webhook/index.ts'
import type { DocumentErrors } from '../private-file.ts'
import { explain, hintOf, skipText, summaryText } from './action.ts'
import { profileMessages } from './profile.ts'
import { projectMessages } from './project.ts'
import { sandboxMessages } from './sandbox.ts'
import { cassetteMessages } from './test-findings.ts'
import { documentMessages, webhookMessages } from './webhook.ts'
import { wordsOf } from './with-words.ts'
import type { Messages } from './words.ts'

/** The words for every code of every module. Where one error is shown, `withWords` loads less. */
export const messages = {
  ...profileMessages,
  ...projectMessages,
  ...documentMessages,
  ...webhookMessages,
  ...sandboxMessages,
  ...cassetteMessages,
} satisfies Messages<
  ProfileErrors & ProjectErrors & DocumentErrors & WebhookErrors & SandboxErrors & CassetteErrors
>

/** What became of one resource, with the words for it: as it is printed, and stands in the document of `--json`. */
export interface ExplainedOutcome extends Omit<ResourceOutcome, 'error' | 'why' | 'summary' | 'reason'> {
  /** Done: what. */
  readonly summary?: string
  /** Why it is not done. */
  readonly reason?: string
  /** What to do next. */
  readonly hint?: string
  /** Failed: as which error a command of its own would have ended. */
  readonly kind?: ErrorKind
  /** Failed: which case of that, where it has a code. */
  readonly code?: string
}

export function explained({ error, why, summary, reason, ...rest }: ResourceOutcome): ExplainedOutcome {
  const outcome = {
    ...rest,
    ...(summary === undefined ? {} : { summary: summaryText(summary) }),
    ...(reason === undefined ? {} : { reason: skipText(reason) }),
  }
  if (why !== undefined) {
    const { reason, choices } = explain(why, outcome)
    return { ...outcome, reason, hint: hintOf({ choices }) }
  }
  if (error === undefined) return outcome
  const { kind, code } = error
  const { message, hint } = wordsOf(error, messages)
  if (outcome.status === 'skipped') return { ...outcome, reason: message }
  return {
    ...outcome,
    reason: message,
    kind,
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
  }
}
