import { tmpdir } from 'node:os'
import { CallwrightError } from '../lib/error.ts'
import { describeFileError } from '../lib/fs/file-error.ts'

/** Reports a failed write to the folder of temporary files. @throws CallwrightError `usage`; other errors unchanged */
export function throwTemporaryUnusable(error: unknown): never {
  if (!(error instanceof Error) || !('syscall' in error)) throw error
  throw new CallwrightError(
    'usage',
    `cannot write temporary files to ${tmpdir()}: ${describeFileError(error)}`,
    {
      hint: 'free space there, or set TMPDIR to another folder',
      cause: error,
    },
  )
}
