import type { Address } from '../../files/formats/address.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { defineErrors } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'
import type { Why } from '../plan/index.ts'

/** Error codes of projects with their details. Addresses look like `tool/book`. */
export type ProjectErrors = Immutable<{
  'no-project': Record<string, never>
  /** An earlier version of the lockfile. */
  'lockfile-older': OtherVersion
  /** One of two versions that two branches made of the same one. */
  'lockfile-forked': OtherVersion
  /** The lockfile does not have the target, and another version does. */
  'target-missing': OtherVersion
  /** Another version of the lockfile has the resource that is to be created. */
  'created-before': { address: Address; id: string; given?: string | undefined } & OtherVersion
  /** Neither a file nor a name nor an id; `names` of this kind are undefined outside of a project. */
  'no-such-resource': {
    text: string
    resource: ResourceKind
    /** Suggested name. */
    near?: string | undefined
    names?: string[] | undefined
    /** The flag that accepts ids only; undefined if this is that flag. */
    idFlag?: string | undefined
    /** True if a file was looked for as well. */
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
    /** File that can be sent inline. */
    inline?: string | undefined
  }
  /** The file of an assistant differs from the target's version. */
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
  'create-unanswered': { address: Address; target: string }
  'gone-at-target': { address: Address; id: string }
  /** A change at the service is not in the lockfile; `created` is the id of a created resource. */
  'not-written-down': { address: Address; created?: string | undefined }
  /** The file names another knowledge base than the lockfile does. */
  'other-knowledge-base': { file: string; address: Address }
}>

/** Another version of a lockfile, in a commit or of a run on this machine. */
interface OtherVersion {
  readonly lockfile: string
  readonly target: string
  /** Serial of the lockfile in the project. */
  readonly serial: number
  readonly newest: number
  readonly applied?: string | undefined
  readonly by?: string | undefined
  readonly commit?: string | undefined
  readonly folder?: string | undefined
}

export const projectError = defineErrors<ProjectErrors>()
