import type { Address } from '../../files/formats/address.ts'
import type { Diagnostic } from '../../files/source/index.ts'
import type { KindName, ResourceKind } from '../../interface/words.ts'
import { defineErrors } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'

export type ResourceErrors = Immutable<{
  /** The given folder contains no callyard.yaml; `file` is its expected path. */
  'no-project-in': { folder: string; file: string }
}>

export const resourceError = defineErrors<ResourceErrors>()

/** Codes of findings in a project's files, with their details. */
export type ProjectFindings = Immutable<{
  'shared-knowledge-base': { other: string }
  /** Name of the file in the project, if it is a table, which has no place for the id. */
  'knowledge-base-without-id': { name: string | undefined }
  'resource-circle': { circle: Address[] }
  'unused-resource': { address: Address }
  /** No lockfile. `withIds` is a file whose entries have ids, `created` the number of tools and assistants. */
  'missing-lockfile': { withIds: string; created: number }
  /** `reason` is the code of the system. */
  'unusable-folder': { resource: ResourceKind; reason: string }
  'folder-of-other-kind': { resource: ResourceKind; nearest: KindName | undefined; folder: string }
  'name-taken': { address: Address; other: string }
  /** A reference to a missing file; `near` is the suggestion. */
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

/** Location of a reference; both are set where it is found. */
type Reference = { readonly field?: string; readonly written?: string }

/** A finding about a whole file, and an error, where `place` does not say otherwise. Its sentence: see ProjectFindings. */
export function createFinding<Code extends keyof ProjectFindings>(
  base: Pick<Diagnostic, 'code' | 'file'> & Partial<Diagnostic>,
  message: Code,
  details: ProjectFindings[Code],
): Diagnostic {
  return { severity: 'error', path: [], at: 'value', ...base, message, details }
}
