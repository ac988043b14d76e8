import type { KindName, ResourceKind } from '../interface/words.ts'
import { CallwrightError, errorsOf } from '../lib/error.ts'
import type { Diagnostic } from '../source/index.ts'
import type { Address } from './address.ts'
import type { Why } from './plan/actions.ts'

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
  /** The folder that was given holds no callwright.yaml; `file` is where it would be. */
  'no-project-in': { readonly folder: string; readonly file: string }
  /** Neither a file nor a name nor an id; `names` of this kind are undefined outside of a project. */
  'no-such-resource': {
    readonly text: string
    readonly resource: ResourceKind
    /** What was probably meant. */
    readonly near?: string | undefined
    readonly names?: readonly string[] | undefined
    /** The flag that takes what is certainly an id; undefined where this was to be one. */
    readonly idFlag?: string | undefined
    /** A file was looked for, too. */
    readonly mayBeFile: boolean
  }
  'other-kind': { readonly text: string; readonly is: ResourceKind; readonly wanted: ResourceKind }
  'empty-id': { readonly idFlag: string }
  'ambiguous-id': {
    readonly text: string
    readonly idFlag: string | undefined
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
  'update-blocked': { readonly address: Address; readonly id: string; readonly why: Why | undefined }
  'created-already': {
    readonly address: string
    readonly target: string
    readonly id: string
    readonly given?: string | undefined
  }
  'creation-unanswered': { readonly address: string; readonly given?: string | undefined }
  'lockfile-damaged': { readonly lockfile: string; readonly reason: string }
  /** It holds the marks of a merge conflict. */
  'lockfile-merge': { readonly lockfile: string }
  /** It holds a name that no apply writes. */
  'lockfile-name': { readonly lockfile: string; readonly name: string }
  'lockfile-changed': { readonly lockfile: string }
  'project-locked': { readonly folder: string; readonly holder: OtherRun | undefined }
  'adopt-malformed': { readonly text: string }
  /** The id is that of another resource, which has a file of its own. */
  'adopt-taken': { readonly id: string; readonly holder: Address }
  'adopt-knowledge-base': { readonly address: Address; readonly former: string }
  'adopt-no-file': { readonly address: string; readonly files: readonly string[] }
  /** The resource exists; to forget it, its id must be given. */
  'forget-known': { readonly address: Address; readonly id: string }
  'forget-ambiguous': { readonly text: string; readonly ids: readonly string[] }
  'not-recorded': { readonly text: string; readonly known: readonly string[] }
  /** An earlier apply ended, or one is under way unless `alone`, before these were answered. */
  'apply-unanswered': {
    readonly target: string
    readonly alone: boolean
    readonly open: readonly Unanswered[]
    readonly unknown: readonly Address[]
  }
  'no-saved-plan': { readonly file: string }
  /** What changed since the plan was saved. */
  'plan-outdated': { readonly file: string; readonly changed: readonly string[] }
  'create-unanswered': { readonly address: Address }
  'gone-at-target': { readonly address: Address; readonly id: string }
  /** What was done at the service is not in the lockfile; `created` is the id of what was created. */
  'not-written-down': { readonly address: Address; readonly created?: string | undefined }
  /** The file names another knowledge base than the lockfile does. */
  'other-knowledge-base': { readonly file: string; readonly address: Address }
  'file-gone': { readonly file: string }
  'file-changed': { readonly file: string }
  'ledger-unreadable': { readonly path: string }
  'ledger-damaged': { readonly path: string }
  'lockfile-journal-damaged': { readonly path: string }
  /** The lockfile was changed since a run was killed whose journal is still there. */
  'journal-of-other-lockfile': { readonly lockfile: string; readonly journal: string }
  /** The lockfile says that a run to a target, begun at this time, has a journal, and there is none. */
  'journal-lost': {
    readonly lockfile: string
    readonly journal: string
    readonly target: string
    readonly begun: string
  }
  'push-locked': { readonly file: string; readonly holder: OtherRun | undefined }
  'batch-closed': Readonly<Record<string, never>>
  'batch-ids': BatchIdFault
  /** Whether the service has a batch is not known: its answer was lost. */
  'answer-lost': UnknownBatch
  /** The service has the batch; its answer does not tell the ids for certain. */
  'answer-unclear': UnknownBatch
  /** An earlier push left a batch whose outcome at the service is unknown. */
  'batch-open': UnknownBatch
  /** The service has the batch, and its ids could be kept nowhere but here. */
  'ids-not-kept': { readonly file: string; readonly unknown: readonly UnknownEntry[] }
  'ids-not-written': { readonly file: string; readonly count: number; readonly keptIn: string }
  'update-not-recorded': { readonly count: number }
  'other-push-open': { readonly file: string; readonly knowledgeBaseId: string; readonly baseUrl: string }
  'push-cancelled': { readonly done: number; readonly total: number }
  'push-in-part': { readonly done: number; readonly total: number }
  /** The cause came before anything was sent; what an earlier push left is still in `pendingFile`. */
  'nothing-sent': { readonly pendingFile?: string | undefined }
}

/** What is found in a project's files: the code of each sentence, and what it needs. */
export type ProjectFindings = {
  'shared-knowledge-base': { readonly other: string }
  'knowledge-base-without-id': { readonly isCsv: boolean }
  'no-place-for-id': { readonly index: number; readonly reason: NoPlaceReason }
  'resource-circle': { readonly circle: readonly Address[] }
  'unused-resource': { readonly address: Address }
  /** `reason` is the code of the system. */
  'unusable-folder': { readonly resource: ResourceKind; readonly reason: string }
  'folder-of-other-kind': {
    readonly resource: ResourceKind
    readonly nearest: KindName | undefined
    readonly folder: string
  }
  'name-taken': { readonly address: Address; readonly other: string }
  /** A reference to a file that is not there; `near` is the reference that may be meant. */
  'no-such-reference': Reference & {
    readonly resource: ResourceKind
    readonly near: string | undefined
    /** References to the files that are there. */
    readonly there: readonly string[]
  }
  'reference-not-deployed': Reference & {
    readonly lockfile: string
    readonly address: Address
    readonly target: string
    readonly given: string | undefined
  }
  'reference-without-id': Reference & { readonly file: string }
}

/** Where a reference stands: both are filled in where it is found. */
type Reference = { readonly field?: string; readonly written?: string }

/** Why an entry of a file cannot take an id. */
export type NoPlaceReason =
  | 'unknown'
  | 'alias'
  | 'no-mapping'
  | 'empty'
  /** Its id field: in a form that cannot be filled in; with an alias, an anchor or a tag; with a reference to nothing. */
  | 'id-form'
  | 'id-alias'
  | 'id-reference'

/** A finding about a whole file, and an error, where `place` does not say otherwise. Its sentence: see ProjectFindings. */
export function findingOf<Code extends keyof ProjectFindings>(
  place: Pick<Diagnostic, 'code' | 'file'> & Partial<Diagnostic>,
  message: Code,
  details: ProjectFindings[Code],
): Diagnostic {
  return { severity: 'error', path: [], at: 'value', ...place, message, details }
}

/** The process that holds a lock. */
interface OtherRun {
  readonly pid: number
  readonly host: string
}

export function runOf(holder: OtherRun | undefined): OtherRun | undefined {
  return holder && { pid: holder.pid, host: holder.host }
}

/** An entry of which it is not known whether the service has it. */
export interface UnknownEntry {
  readonly file?: string
  /** Where it stands now; where it stood when it was sent, if it is no longer in the file. */
  readonly line: number | undefined
  /** As the file writes it; undefined if it is no longer in the file. */
  readonly question: string | undefined
  /** What the service assigned, if that is known. */
  readonly id?: string | undefined
}

type UnknownBatch = {
  readonly file: string
  readonly knowledgeBaseId: string
  readonly unknown: readonly UnknownEntry[]
  /** Where the push was a part of an apply. */
  readonly applied?: { readonly address: Address; readonly target: string }
}

/** A resource whose creation, or a knowledge base of whose entries some, have no answer yet. */
export interface Unanswered {
  readonly address: Address
  /** Of a knowledge base; undefined where there is none any more. */
  readonly file?: string | undefined
  readonly entries?: readonly UnknownEntry[]
}

/** What is wrong with the ids that a person gives for a batch. */
export type BatchIdFault =
  | { readonly fault: 'empty' | 'mixed'; readonly file: string }
  | { readonly fault: 'malformed'; readonly file: string; readonly line: number }
  | { readonly fault: 'repeated'; readonly file: string; readonly line: number; readonly same: number }
  | { readonly fault: 'known'; readonly line: number; readonly id: string }
  | { readonly fault: 'not-open'; readonly line: number; readonly question: string | undefined }
  | { readonly fault: 'count'; readonly ids: number; readonly open: number }

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
  return projectError(error.kind, 'nothing-sent', { ...error.details, pendingFile }, error)
}
