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
export class CallwrightError extends Error {
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

/** The message of anything that was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code of an error of the system, such as `ENOENT`; undefined for an error without one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
