import type { KindName, ResourceKind } from '../interface/words.ts'
import { CallwrightError, errorsOf } from '../lib/error.ts'
import type { Immutable } from '../lib/json.ts'
import type { Diagnostic } from '../source/index.ts'
import type { Address } from './address.ts'
import type { Why } from './plan/actions.ts'

/** What a project can fail for: each code with its details. Addresses are as `tool/book`. */
export type ProjectErrors = Immutable<{
  /** The lockfile knows the target at another base URL. */
  'target-elsewhere': { target: string; recorded: string; baseUrl: string }
  /** The lockfile knows the base URL as another target. */
  'target-twice': { target: string; recorded: string; baseUrl: string }
  /** Another sandbox than the recorded one answers at its address; both by the beginning of their team. */
  'other-sandbox': { target: string; baseUrl: string; recorded: string; found: string; otherSandbox: string }
  /** An answer comes from another team than the one that the lockfile names; the change was made there. */
  'other-team': {
    target: string
    recorded: string
    otherTeam: string
    address: string
    created?: string | undefined
  }
  'no-project': Record<string, never>
  /** The folder that was given holds no callwright.yaml; `file` is where it would be. */
  'no-project-in': { folder: string; file: string }
  /** Neither a file nor a name nor an id; `names` of this kind are undefined outside of a project. */
  'no-such-resource': {
    text: string
    resource: ResourceKind
    /** What was probably meant. */
    near?: string | undefined
    names?: string[] | undefined
    /** The flag that takes what is certainly an id; undefined where this was to be one. */
    idFlag?: string | undefined
    /** A file was looked for, too. */
    mayBeFile: boolean
  }
  'other-kind': { text: string; is: ResourceKind; wanted: ResourceKind }
  'empty-id': { idFlag: string }
  'ambiguous-id': { text: string; idFlag: string | undefined; lockfile: string; ids: string[] }
  /** `given` is the name of the target where the command line has one, here and below. */
  'not-deployed': {
    lockfile: string
    target: string
    address: string
    given?: string | undefined
    /** The file, where it can be sent as it is. */
    inline?: string | undefined
  }
  /** The file of an assistant differs from what the target holds. */
  'not-as-deployed': {
    file: string
    lockfile: string
    address: string
    target: string
    given?: string | undefined
    fields: string[]
  }
  'no-knowledge-base-id': { file: string }
  /** The lockfile has another id for the file than the one that is to be updated. */
  'other-tool': { address: string; target: string; recorded: string; id: string; given?: string | undefined }
  'update-blocked': { address: Address; id: string; why: Why | undefined }
  'created-already': { address: string; target: string; id: string; given?: string | undefined }
  'creation-unanswered': { address: string; given?: string | undefined }
  'lockfile-damaged': { lockfile: string; reason: string }
  /** It holds the marks of a merge conflict. */
  'lockfile-merge': { lockfile: string; line: number }
  /** It holds a name that no apply writes. */
  'lockfile-name': { lockfile: string; name: string }
  'lockfile-changed': { lockfile: string }
  'project-locked': { folder: string; holder: OtherRun | undefined }
  'adopt-malformed': { text: string }
  /** The id is that of another resource, which has a file of its own. */
  'adopt-taken': { id: string; holder: Address }
  'adopt-knowledge-base': { address: Address; former: string }
  'adopt-no-file': { address: string; files: string[] }
  /** The resource exists; to forget it, its id must be given. */
  'forget-known': { address: Address; id: string }
  'forget-ambiguous': { text: string; ids: string[] }
  'not-recorded': { text: string; known: string[] }
  /** An earlier apply ended, or one is under way unless `alone`, before these were answered. */
  'apply-unanswered': { target: string; alone: boolean; open: Unanswered[]; unknown: Address[] }
  'no-saved-plan': { file: string }
  /** What changed since the plan was saved. */
  'plan-outdated': { file: string; changed: string[] }
  'create-unanswered': { address: Address; target: string }
  'gone-at-target': { address: Address; id: string }
  /** What was done at the service is not in the lockfile; `created` is the id of what was created. */
  'not-written-down': { address: Address; created?: string | undefined }
  /** The file names another knowledge base than the lockfile does. */
  'other-knowledge-base': { file: string; address: Address }
  'file-gone': { file: string }
  'file-changed': { file: string }
  'ledger-unreadable': { path: string }
  'ledger-damaged': { path: string }
  'lockfile-journal-damaged': { path: string }
  /** The lockfile was changed since a run was killed whose journal is still there. */
  'journal-of-other-lockfile': { lockfile: string; journal: string }
  /** The lockfile says that a run to a target, begun at this time, has a journal, and there is none. */
  'journal-lost': { lockfile: string; journal: string; target: string; begun: string }
  'push-locked': { file: string; holder: OtherRun | undefined }
  'batch-closed': Record<string, never>
  'batch-ids': BatchIdFault
  /** Whether the service has a batch is not known: its answer was lost. */
  'answer-lost': UnknownBatch
  /** The service has the batch; its answer does not tell the ids for certain. */
  'answer-unclear': UnknownBatch
  /** An earlier push left a batch whose outcome at the service is unknown. */
  'batch-open': UnknownBatch
  /** The service has the batch, and its ids could be kept nowhere but here. */
  'ids-not-kept': { file: string; unknown: UnknownEntry[] }
  'ids-not-written': { file: string; count: number; keptIn: string }
  'update-not-recorded': { count: number }
  /** Rejected updates, by the ids in the file. `isNamed`: the file names its knowledge base. */
  'entries-refused': {
    file: string
    knowledgeBaseId: string
    isNamed: boolean
    inProject: { address: Address; target: string } | undefined
    refused: (UnknownEntry & { id: string })[]
  }
  /** The file would be too large to read once all entries have ids. Sizes in MB. */
  'too-large-with-ids': { file: string; size: number; max: number }
  'forget-no-entry': { file: string; id: string; near: string | undefined }
  'other-push-open': { file: string; knowledgeBaseId: string; baseUrl: string }
  'push-cancelled': { done: number; total: number }
  'push-in-part': { done: number; total: number }
  /** The cause came before anything was sent; what an earlier push left is still in `pendingFile`. */
  'nothing-sent': { pendingFile?: string | undefined }
}>

/** What is found in a project's files: the code of each sentence, and what it needs. */
export type ProjectFindings = Immutable<{
  'shared-knowledge-base': { other: string }
  'knowledge-base-without-id': { isCsv: boolean }
  'no-place-for-id': { index: number; reason: NoPlaceReason }
  'resource-circle': { circle: Address[] }
  'unused-resource': { address: Address }
  /** No lockfile. `withIds` is a file whose entries have ids, `created` the number of tools and assistants. */
  'missing-lockfile': { withIds: string; created: number }
  /** `reason` is the code of the system. */
  'unusable-folder': { resource: ResourceKind; reason: string }
  'folder-of-other-kind': { resource: ResourceKind; nearest: KindName | undefined; folder: string }
  'name-taken': { address: Address; other: string }
  /** A reference to a file that is not there; `near` is the reference that may be meant. */
  'no-such-reference': Reference & {
    resource: ResourceKind
    near: string | undefined
    /** References to the files that are there. */
    there: string[]
  }
  'reference-not-deployed': Reference & {
    lockfile: string
    address: Address
    target: string
    given: string | undefined
  }
  'reference-without-id': Reference & { file: string }
}>

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
