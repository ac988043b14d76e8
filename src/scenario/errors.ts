import type { FieldPath } from '../interface/finding.ts'
import { CallyardError } from '../lib/error.ts'

/** Thrown for an invalid matcher. `path` is relative to the value that was read. */
export class MatcherError extends CallyardError {
  constructor(
    code: string,
    message: string,
    hint?: string,
    readonly path: FieldPath = [],
  ) {
    super('usage', message, { code, hint })
  }

  at(path: FieldPath): MatcherError {
    return new MatcherError(this.code ?? '', this.message, this.hint, path)
  }
}
