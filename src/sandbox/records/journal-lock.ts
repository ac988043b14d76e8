import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'

/**
 * One sandbox per journal.
 * @throws CliError `conflict` when another sandbox holds the journal, `usage` when it cannot be locked.
 */
export function lockJournal(path: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: holder => {
      const who = holder === undefined ? 'another sandbox' : `another sandbox (process ${holder.pid})`
      return new CallwrightError('conflict', `${who} already uses ${path}`, {
        hint: 'stop it, or give this one its own file with --data, or --memory',
      })
    },
    cannotLock: error =>
      new CallwrightError('usage', `the sandbox’s journal ${path} cannot be locked: ${String(error)}`, {
        hint: 'check the folder and its permissions, or give another file with --data (or --memory)',
        cause: error,
      }),
  })
}
