import { CallwrightError, errorsOf } from '../lib/error.ts'

/** What a project can fail for: each code with its details. Addresses are as `tool/book`. */
export type ProjectErrors = {
  /** The lockfile knows the target at another base URL. */
  'target-elsewhere': { readonly target: string; readonly recorded: string; readonly baseUrl: string }
  /** The lockfile knows the base URL as another target. */
  'target-twice': { readonly target: string; readonly recorded: string; readonly baseUrl: string }
  /** Another sandbox than the recorded one answers at its address; both by the beginning of their team. */
  'other-sandbox': {
    readonly target: string
    readonly baseUrl: string
    readonly recorded: string
    readonly found: string
    readonly otherSandbox: string
  }
  /** An answer comes from another team than the one that the lockfile names; the change was made there. */
  'other-team': {
    readonly target: string
    readonly recorded: string
    readonly otherTeam: string
    readonly address: string
    readonly created?: string | undefined
  }
}

export const projectError = errorsOf<ProjectErrors>()

/** Whether it is certain that the service did not do what was asked. What failed before a request was made says no outcome. */
export function hasKnownOutcome(error: unknown): boolean {
  if (!(error instanceof CallwrightError)) return false
  const { outcome } = error.details
  if (outcome === undefined) return error.kind === 'usage' || error.kind === 'unauthorized'
  return outcome === 'refused' || outcome === 'not-sent'
}

/** Nothing of this push was sent; what an earlier one left is kept where it was. */
export function nothingSent(error: CallwrightError, pendingFile?: string): CallwrightError {
  const { message, hint, kind, details } = error
  const kept =
    pendingFile === undefined
      ? ''
      : `; what an earlier push left to be finished is still kept in ${pendingFile}`
  return new CallwrightError(kind, `${message}\nnothing was sent${kept}`, { hint, details, cause: error })
}
