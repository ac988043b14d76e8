import { tmpdir } from 'node:os'
import { fileError } from '../../lib/error.ts'

/** Reports a failed write to the folder of temporary files. @throws CallyardError `usage`; other errors unchanged */
export function throwTemporaryUnusable(error: unknown): never {
  if (!(error instanceof Error) || !('syscall' in error)) throw error
  throw fileError(
    `cannot write temporary files to ${tmpdir()}`,
    error,
    'free space there, or set TMPDIR to another folder',
  )
}
