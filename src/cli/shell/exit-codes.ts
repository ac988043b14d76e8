import { CallyardError, type ErrorKind, errorKinds } from '../../lib/error.ts'

/** Exit code of each kind of failure (`callyard help exit-codes`). */
export const exitCodes: Readonly<Record<ErrorKind, number>> = {
  bug: 1,
  usage: 2,
  invalid: 3,
  unauthorized: 4,
  refused: 5,
  unreachable: 6,
  pending: 7,
  partial: 8,
  conflict: 9,
  'not-started': 127,
  cancelled: 130,
}

/** Exit code of a command that failed with this error. */
export function exitCodeOf(error: unknown): number {
  return exitCodes[error instanceof CallyardError ? error.kind : 'bug']
}

/** Kind of the error that ends a command with this exit code; undefined for another code. */
export function kindOfExitCode(exitCode: number): ErrorKind | undefined {
  return errorKinds.find(kind => exitCodes[kind] === exitCode)
}
