import { getSystemErrorMap } from 'node:util'
import { getErrorReason } from '../error.ts'

/**
 * "permission denied" for an error of the file system, in a sentence that names the path itself: Node's message repeats the
 * path, or names a temporary file. For any other error its message.
 */
export function describeFileError(error: unknown): string {
  const known =
    error instanceof Error && 'errno' in error && typeof error.errno === 'number'
      ? getSystemErrorMap().get(error.errno)
      : undefined
  return known?.[1] ?? getErrorReason(error)
}
