import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { cannotWrite } from '../../lib/fs/replace-file.ts'
import { nothingSent } from './nothing-sent.ts'

/**
 * One push of a file at a time.
 * @throws CliError `conflict` when another push holds the lock, `usage` when it cannot be made.
 */
export function lockPush(path: string, file: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: holder => {
      const who =
        holder === undefined ? 'another push' : `another push (process ${holder.pid} on ${holder.host})`
      return new CallwrightError('conflict', `${who} of ${file} is running`, {
        hint: 'wait until it has ended, then run again',
      })
    },
    cannotLock: error => nothingSent(cannotWrite(path, error)),
  })
}
