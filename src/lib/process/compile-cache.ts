import { mkdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { removeUnusedFolders } from '../fs/unused-folders.ts'

const dayMs = 24 * 60 * 60 * 1000
/** A version in use marks its folder once a day. */
const unusedAfterMs = 30 * dayMs

interface CompileCacheOptions {
  /** Versions of callwright and Node; compiled code is specific to both. */
  readonly versions: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly uid: number | undefined
}

/**
 * Creates the compile cache folder of these versions inside an existing folder and marks it as used. Once a day, removes the folders
 * of versions not used for 30 days.
 * @throws if the folder cannot be created
 */
export function openCompileCache(parent: string, { versions, now, uid }: CompileCacheOptions): string {
  const folder = join(parent, versions)
  const usedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  if (usedAt !== undefined && now - usedAt < dayMs) return folder
  if (usedAt === undefined) mkdirSync(folder, { mode: 0o700 })
  utimesSync(folder, now / 1000, now / 1000)
  removeUnusedFolders(parent, { named: /^v?\d/, before: now - unusedAfterMs, uid })
  return folder
}
