import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

interface UnusedFolders {
  readonly named: RegExp
  /** Milliseconds since the epoch: nothing in the folder was changed since. */
  readonly before: number
  /** Only folders of this user; undefined where the system has no users. */
  readonly uid: number | undefined
}

/** Removes folders below `parent` that nobody has used for long. Never throws: what cannot be removed stays. */
export function removeUnusedFolders(parent: string, { named, before, uid }: UnusedFolders): void {
  for (const name of namesIn(parent)) {
    const folder = join(parent, name)
    if (!named.test(name) || !isUnused(folder, before, uid)) continue
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Another process uses it, or has removed it.
    }
  }
}

/** A symbolic link is none, wherever it leads. */
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
