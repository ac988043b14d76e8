import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

interface UnusedFolders {
  readonly named: RegExp
  /** Removes folders without changes since this time, in milliseconds since the epoch. */
  readonly before: number
  /** Removes only folders of this user; undefined on systems without user ids. */
  readonly uid: number | undefined
}

/** Removes unused folders in `parent`. Never throws: folders that cannot be removed stay. */
export function removeUnusedFolders(parent: string, { named, before, uid }: UnusedFolders): void {
  for (const name of namesIn(parent)) {
    const folder = join(parent, name)
    if (!named.test(name) || !isUnused(folder, before, uid)) continue
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // In use, or already removed by another process.
    }
  }
}

/** False for symbolic links, whatever their target. */
function isUnused(folder: string, before: number, uid: number | undefined): boolean {
  try {
    const stats = lstatSync(folder)
    if (!stats.isDirectory() || (uid !== undefined && stats.uid !== uid)) return false
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return [folder, ...paths.map(path => join(folder, path))].every(path => lstatSync(path).mtimeMs < before)
  } catch {
    return false
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
