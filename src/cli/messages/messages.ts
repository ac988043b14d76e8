import { CallwrightError, reasonOf } from '../../lib/error.ts'
import type { ProfileErrors } from '../../profile/index.ts'
import type { ProjectErrors } from '../../project/index.ts'
import type { SandboxErrors } from '../../sandbox/index.ts'
import { InvalidInput } from '../../source/index.ts'
import type { TranscriptErrors } from '../../transcript/index.ts'
import type { WebhookErrors } from '../../webhook/index.ts'
import { hintWords, wordedFinding } from './hints.ts'
import { profileMessages } from './profile.ts'
import { projectMessages } from './project.ts'
import { sandboxMessages } from './sandbox.ts'
import { transcriptMessages, webhookMessages } from './webhook.ts'
import type { Messages, Words } from './words.ts'

/** The words for every code of every module. */
export const messages = {
  ...profileMessages,
  ...projectMessages,
  ...transcriptMessages,
  ...webhookMessages,
  ...sandboxMessages,
} satisfies Messages<ProfileErrors & ProjectErrors & TranscriptErrors & WebhookErrors & SandboxErrors>

const byCode: Readonly<Record<string, (details: never, cause: Words) => Words>> = messages

/** The error with the words for its code, its hint and its findings. */
export function worded(error: CallwrightError): CallwrightError {
  if (error instanceof InvalidInput) return new InvalidInput(error.diagnostics.map(wordedFinding))
  const { kind, code, details } = error
  if (code === undefined) {
    const hint = hintWords(error.hint)
    return hint === error.hint
      ? error
      : new CallwrightError(kind, error.message, { hint, details, cause: error.cause })
  }
  const message = byCode[code]
  if (message === undefined) throw new Error(`there are no words for ${code}`)
  const cause = error.cause instanceof CallwrightError ? worded(error.cause) : error.cause
  // An error of a code has the details of that code: `errorsOf` makes no others.
  const words = message(details as never, wordsOf(cause))
  return new CallwrightError(kind, words.message, {
    code,
    hint: words.hint,
    details: cause instanceof CallwrightError ? { ...details, cause: asData(cause) } : details,
    cause,
  })
}

/** What a person reads of anything that was thrown. */
export function wordsOf(thrown: unknown): Words {
  if (thrown === undefined) return { message: '' }
  if (thrown instanceof CallwrightError) return worded(thrown)
  return { message: reasonOf(thrown) }
}

function asData({ kind, code, message, details }: CallwrightError): Readonly<Record<string, unknown>> {
  return { kind, ...(code === undefined ? {} : { code }), message, ...details }
}
