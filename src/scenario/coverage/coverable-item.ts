import type { FieldPath } from '../../interface/finding.ts'

export type ItemKind =
  /** No test calls the assistant. */
  | 'assistant'
  /** Never called. */
  | 'tool'
  /** Never the answer. */
  | 'entry'
  /** Never set. */
  | 'variable'
  /** Never said by a caller. */
  | 'end-phrase'
  /** Never forwarded there. */
  | 'forward'
  /** Never heard. */
  | 'idle-message'
  | 'interruption-phrase'
  /** No test expects anything of it. */
  | 'analysis'

/** Something in a file that a test can go through. */
export interface CoverableItem {
  readonly kind: ItemKind
  readonly name: string
  readonly path: FieldPath
  readonly isCovered: boolean
}
