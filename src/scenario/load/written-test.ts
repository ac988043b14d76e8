import type { TestFile } from '../../interface/scenario.ts'
import type { Vocabulary } from '../../interface/vocabulary.ts'
import type { Located } from './findings.ts'
import type { WrittenTurn } from './read-turns.ts'

/** A file that passed the check of its schema, with what it includes. */
export interface WrittenTest extends Located {
  /** Without the number of a row. */
  readonly id: string
  readonly file: TestFile
  readonly turns: readonly WrittenTurn[]
  readonly vocabulary: Vocabulary
}
