import type { Finding } from '../interface/finding.ts'
import { CallwrightError } from '../lib/error.ts'

/** Where in a text something stands; both count from 1, columns in UTF-16 code units as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A finding with its place in a file. A file that cannot be read at all has no position. */
export interface Diagnostic extends Finding {
  readonly file: string
  readonly position?: Position | undefined
}

/** Hints that name a flag or a command: their words stand in src/cli/messages/words.ts. */
export type SourceHint = 'name-kind' | 'name-kind-or-folder' | 'allow-outside' | 'make-project'

/** Input files that do not pass: exit 3, all findings of all files, not the first. */
export class InvalidInput extends CallwrightError {
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const files = new Set(errors.map(({ file }) => file)).size
    super(
      'invalid',
      `${errors.length} ${errors.length === 1 ? 'error' : 'errors'} in ${files} ${files === 1 ? 'file' : 'files'}; nothing was sent`,
      { details: { diagnostics } },
    )
    this.diagnostics = diagnostics
  }
}
