/** Every way a command can end other than well, with the one exit code of each (`callwright help exit-codes`). */
export const exitCodes = {
  bug: 1,
  usage: 2,
  invalid: 3,
  unauthorized: 4,
  refused: 5,
  unreachable: 6,
  pending: 7,
  partial: 8,
  conflict: 9,
  cancelled: 130,
} as const satisfies Record<string, number>

export type ErrorKind = keyof typeof exitCodes

interface ErrorOptions {
  /** What to do next, one sentence. */
  hint?: string | undefined
  /** Machine-readable facts for `--json`: status, requestId, undelivered items… JSON values only. */
  details?: Readonly<Record<string, unknown>> | undefined
  cause?: unknown
}

/** A failure that a person can act upon. Anything else that reaches main is a bug and exits 1. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly kind: ErrorKind
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>>

  constructor(kind: ErrorKind, message: string, { hint, details = {}, cause }: ErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.hint = hint
    this.details = details
  }

  get exitCode(): number {
    return exitCodes[this.kind]
  }
}

/** Where in a text something stands; both count from 1, columns in UTF-16 code units as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The path of a field inside a document: `['config', 'speech', 'ttsData', 0, 'vendor']`. */
export type FieldPath = readonly (string | number)[]

/** One finding about a value, as data: which field, what is wrong, what is allowed. Formatted only in output/. */
export interface Finding {
  /** Stable, kebab-case: `unknown-key`, `missing`, `wrong-type`, `not-allowed`, `out-of-range`, `broken-yaml`… */
  readonly code: string
  readonly severity: 'error' | 'warning'
  readonly path: FieldPath
  /** Whether the finding is about the field's key (an unknown name) or about its value. */
  readonly at: 'key' | 'value'
  readonly message: string
  readonly hint?: string | undefined
}

/** A finding with its place in a file. A file that cannot be read at all has no position. */
export interface Diagnostic extends Finding {
  readonly file: string
  readonly position?: Position | undefined
}

/** Input files that do not pass: exit 3, all findings of all files, not the first. */
export class InvalidInput extends CliError {
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
