import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { cannotWrite, removeLeftover } from '../../lib/fs/replace-file.ts'
import { lockfileName } from './lockfile.ts'

/**
 * One apply, push or update of a project at a time. Removes what a killed one left half-written.
 * @throws CliError `conflict` when another holds the project, and says who; `usage` when the folder cannot be written.
 */
export async function lockProject(folder: string, clock: Clock): Promise<FileLock> {
  const own = join(folder, '.callwright')
  await mkdir(own, { recursive: true }).catch(error => {
    throw cannotWrite(own, error)
  })
  const lock = await lockFile(join(own, 'project'), {
    clock,
    inUse: holder => {
      const who =
        holder === undefined ? 'another run' : `another run (process ${holder.pid} on ${holder.host})`
      return new CallwrightError('conflict', `${who} is at work on ${folder}; nothing was sent`, {
        hint: 'wait until it has ended, then run again',
      })
    },
    cannotLock: error => cannotWrite(own, error),
  })
  await removeLeftover(join(folder, lockfileName)).catch(async error => {
    await lock.release()
    throw error
  })
  return lock
}
