import { existsSync, lstatSync, mkdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { removeUnusedFolders } from '../fs/unused-folders.ts'

const dayMs = 24 * 60 * 60 * 1000
/** A version in use marks its folder once a day. */
const unusedAfterMs = 30 * dayMs

/** Creates callyard's own folder in a folder for caches. The runtime makes whole paths, and tries for ever where /proc or the like refuses one. */
export function makeOwnCache(folder: string): string {
  const own = ownCache(folder)
  for (const path of [folder, own]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
  return own
}

export function ownCache(folder: string): string {
  return `${folder}/callyard`
}

interface CompileCacheOptions {
  /** Versions of callyard and Node; compiled code is specific to both. */
  readonly versions: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly uid: number | undefined
}

/**
 * Creates the compile cache folder of these versions inside an existing folder and marks it as used. Once a day, removes the folders
 * of versions not used for 30 days.
 * @throws if the folder cannot be created, or somebody else could write there
 */
export function openCompileCache(parent: string, { versions, now, uid }: CompileCacheOptions): string {
  const folder = join(parent, versions)
  assertOwn(parent, uid)
  const usedAt = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs
  if (usedAt !== undefined) assertOwn(folder, uid)
  if (usedAt !== undefined && now - usedAt < dayMs) return folder
  if (usedAt === undefined) mkdirSync(folder, { mode: 0o700 })
  utimesSync(folder, now / 1000, now / 1000)
  removeUnusedFolders(parent, { named: /^v?\d/, before: now - unusedAfterMs, uid })
  return folder
}

/** @throws for a folder of another user, and one that others can write to */
function assertOwn(path: string, uid: number | undefined): void {
  if (uid === undefined) return
  const { uid: owner, mode } = statSync(path)
  if (owner !== uid || (mode & 0o022) !== 0) throw new Error(`${path} is not protected`)
}
