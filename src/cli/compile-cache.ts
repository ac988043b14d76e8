import { mkdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { removeUnusedFolders } from '../lib/fs/unused-folders.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Another version that is in use marks its folder once a day. */
const unusedAfterMs = 30 * dayMs

interface CompileCacheOptions {
  /** Of callwright and of Node: each pair compiles to other code. */
  readonly versions: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly uid: number | undefined
}

/**
 * Folder for the compiled code of these versions, below a folder that exists. Marks it as used, and once a day removes the folders of
 * versions that were not used for 30 days.
 * @throws where the folder cannot be made
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
