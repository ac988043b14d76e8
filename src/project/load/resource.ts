import type { CheckedFile } from '../../source/check-file.ts'
import type { Address } from '../address.ts'
import type { ResourceFile } from './find-resources.ts'

/** A file of a project that passed its check. */
export interface Resource extends ResourceFile {
  readonly checked: CheckedFile
  /** The resources that it refers to, each once. */
  readonly needs: readonly Address[]
}
