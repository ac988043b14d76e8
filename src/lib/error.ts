import { getSystemErrorMap } from 'node:util'

/** Kinds of failure. `bug` is anything that was thrown and is not a CallyardError. */
export const errorKinds = [
  ...(['bug', 'usage', 'invalid', 'unauthorized', 'refused', 'unreachable'] as const),
  ...(['pending', 'partial', 'conflict', 'not-started', 'cancelled'] as const),
] as const

export type ErrorKind = (typeof errorKinds)[number]

/** A command without the name of the program: `['batch', 'resume', 'reminders']`; `<id>` and its like stand for a value. */
export type CommandWords = readonly string[]

interface ErrorOptions {
  /** Stable and unique, kebab-case. */
  code?: string | undefined
  /** Next step, one sentence. It names concepts; a command adds the names of its flags (src/cli/shell/hints.ts). */
  hint?: string | undefined
  /** Commands to run next. */
  next?: readonly CommandWords[] | undefined
  /** Machine-readable facts for `--json`: status, requestId, undelivered items… JSON values only. */
  details?: Readonly<Record<string, unknown>> | undefined
  cause?: unknown
}

/** A failure that a person can act upon. Anything else that is thrown is a bug. */
export class CallyardError extends Error {
  override readonly name = 'CallyardError'
  readonly kind: ErrorKind
  readonly code: string | undefined
  readonly hint: string | undefined
  readonly next: readonly CommandWords[]
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    kind: ErrorKind,
    message: string,
    { code, hint, next = [], details = {}, cause }: ErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.code = code
    this.hint = hint
    this.next = next
    this.details = details
  }

  withDetails(more: CallyardError['details']): CallyardError {
    const { kind, message, code, hint, next, details, cause } = this
    return new CallyardError(kind, message, { code, hint, next, details: { ...details, ...more }, cause })
  }
}

/** An error as data, without its hint. */
export function errorData({
  kind,
  code,
  message,
  details,
}: CallyardError): Readonly<Record<string, unknown>> {
  return { kind, ...(code === undefined ? {} : { code }), message, ...details }
}

/** The message of anything that was thrown. */
export function getErrorReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code of an error of the system, such as `ENOENT`; undefined for an error without one. */
export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/**
 * "permission denied" for an error of the file system, in a sentence that names the path itself: Node's message repeats the
 * path, or names a temporary file. For any other error its message.
 */
export function describeFileError(error: unknown): string {
  const knownReason =
    error instanceof Error && 'errno' in error && typeof error.errno === 'number'
      ? getSystemErrorMap().get(error.errno)
      : undefined
  return knownReason?.[1] ?? getErrorReason(error)
}

/** Error for a file or folder that cannot be used, with the reason of the system. */
export function fileError(message: string, cause: unknown, hint?: string): CallyardError {
  return new CallyardError('usage', `${message}: ${describeFileError(cause)}`, { hint, cause })
}

/** Hint of an error for a folder that cannot be written. */
export const checkFolder = 'check the folder, its permissions and free disk space'
