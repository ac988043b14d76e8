import type { Address } from '../../files/formats/address.ts'
import type { Position } from '../../files/text/index.ts'
import type { FieldPath } from '../../interface/finding.ts'

/** A difference between the deployed and the planned version of a project. */
export interface VersionChange {
  readonly address: Address
  /** Display name of the file with the change: that of the resource, or one that it includes. */
  readonly file: string
  /** Field of the resource, such as `welcomeMessage` or `faq[3].answer`. */
  readonly path: FieldPath
  readonly position: Position | undefined
  /** Question of a changed FAQ entry. */
  readonly question?: string
}

/** A deployed value that the lockfile does not contain. The deployed version then has the value of the files. */
export type UnknownValue =
  /** Value of an environment variable when it was last sent. */
  | { readonly code: 'variable'; readonly address: Address; readonly name: string }
  /** Previous texts of FAQ entries: the lockfile keeps only hashes of large knowledge bases. */
  | { readonly code: 'entries'; readonly address: Address; readonly count: number }
