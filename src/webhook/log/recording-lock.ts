import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'

/**
 * One tail per recording.
 * @throws CliError `conflict` when another one records into the file, `usage` when it cannot be locked.
 */
export function lockRecording(path: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: holder => {
      const who =
        holder === undefined ? 'another webhook tail' : `another webhook tail (process ${holder.pid})`
      return new CallwrightError('conflict', `${who} already records into ${path}`, {
        hint: 'stop it, or give this one a file of its own with --record',
      })
    },
    cannotLock: error =>
      new CallwrightError('usage', `cannot record into ${path}: it cannot be locked: ${String(error)}`, {
        hint: 'give --record another file, in a folder that exists and can be written to',
        cause: error,
      }),
  })
}
