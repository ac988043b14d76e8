import type { ResourceKind } from '../interface/words.ts'
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
  'no-project': Readonly<Record<string, never>>
  /** Neither a file nor a name nor an id; `names` of this kind are undefined outside of a project. */
  'no-such-resource': {
    readonly text: string
    readonly resource: ResourceKind
    /** What was probably meant. */
    readonly near?: string | undefined
    readonly names?: readonly string[] | undefined
    /** The flag that takes what is certainly an id; undefined where this was to be one. */
    readonly idFlag?: string
  }
  'other-kind': { readonly text: string; readonly is: ResourceKind; readonly wanted: ResourceKind }
  'empty-id': { readonly idFlag: string }
  'ambiguous-id': {
    readonly text: string
    readonly idFlag: string
    readonly lockfile: string
    readonly ids: readonly string[]
  }
  /** `given` is the name of the target where the command line has one, here and below. */
  'not-deployed': {
    readonly lockfile: string
    readonly target: string
    readonly address: string
    readonly given?: string | undefined
    /** The file, where it can be sent as it is. */
    readonly inline?: string | undefined
  }
  /** The file of an assistant differs from what the target holds. */
  'not-as-deployed': {
    readonly file: string
    readonly lockfile: string
    readonly address: string
    readonly target: string
    readonly given?: string | undefined
    readonly fields: readonly string[]
  }
  'no-knowledge-base-id': { readonly file: string }
  /** The lockfile has another id for the file than the one that is to be updated. */
  'other-tool': {
    readonly address: string
    readonly target: string
    readonly recorded: string
    readonly id: string
    readonly given?: string | undefined
  }
  'update-blocked': {
    readonly address: string
    readonly reason: string
    readonly choices: readonly string[]
  }
  'created-already': {
    readonly address: string
    readonly target: string
    readonly id: string
    readonly given?: string | undefined
  }
  'creation-unanswered': { readonly address: string; readonly given?: string | undefined }
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
