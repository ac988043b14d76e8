import type { UnknownEntry } from '../faq/index.ts'
import type { Address } from '../interface/address.ts'
import type { KindName, ResourceKind } from '../interface/words.ts'
import { errorsOf } from '../lib/error.ts'
import type { Immutable } from '../lib/json.ts'
import type { Diagnostic } from '../source/index.ts'
import type { Why } from './plan/actions.ts'

/** What a project can fail for: each code with its details. Addresses are as `tool/book`. */
export type ProjectErrors = Immutable<{
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
  'adopt-malformed': { text: string }
  /** The id is that of another resource, which has a file of its own. */
  'adopt-taken': { id: string; holder: Address }
  'adopt-knowledge-base': { address: Address; former: string }
  'adopt-no-file': { address: string; files: string[] }
  /** The resource exists; to forget it, its id must be given. */
  'forget-known': { address: Address; id: string }
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
}>

/** What is found in a project's files: the code of each sentence, and what it needs. */
export type ProjectFindings = Immutable<{
  'shared-knowledge-base': { other: string }
  'knowledge-base-without-id': { isCsv: boolean }
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

/** A finding about a whole file, and an error, where `place` does not say otherwise. Its sentence: see ProjectFindings. */
export function findingOf<Code extends keyof ProjectFindings>(
  place: Pick<Diagnostic, 'code' | 'file'> & Partial<Diagnostic>,
  message: Code,
  details: ProjectFindings[Code],
): Diagnostic {
  return { severity: 'error', path: [], at: 'value', ...place, message, details }
}

/** A resource whose creation, or a knowledge base of whose entries some, have no answer yet. */
export interface Unanswered {
  readonly address: Address
  /** Of a knowledge base; undefined where there is none any more. */
  readonly file?: string | undefined
  readonly entries?: readonly UnknownEntry[]
}

export const projectError = errorsOf<ProjectErrors>()
