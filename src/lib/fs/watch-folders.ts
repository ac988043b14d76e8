import { type FSWatcher, watch } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Sleeper, startTimer } from '../clock.ts'
import { getErrorReason } from '../error.ts'

export type FolderWatch = ReturnType<typeof watchFolders>

interface WatchOptions {
  readonly clock: Sleeper
  /** Files that were written, came or went, absolute. */
  onChange(files: readonly string[]): void
  /** A folder that the system does not watch: its changes are not seen. */
  onUnwatched(folder: string, reason: string): void
}

/**
 * Watches the files of folders. Each folder is watched by itself, as the recursive watch of Node 20 on Linux loses changes; and what
 * changed is found by comparing the files, as an editor may write into a file, or put another in its place. Names that begin with a dot
 * and node_modules are left out.
 */
export function watchFolders({ clock, onChange, onUnwatched }: WatchOptions) {
  const watchedFolders = new Map<string, WatchedFolder>()
  const dirty = new Set<string>()
  /** Names that came or went: the number of a folder that is gone is given to the next one. */
  const renamedPaths = new Set<string>()
  let closed = false
  let cancel = () => {}
  let compared = Promise.resolve()

  const onEvent: OnEvent = (folder, type, name) => {
    dirty.add(folder)
    if (type === 'rename' && name !== null) renamedPaths.add(join(folder, name))
    cancel()
    cancel = startTimer(
      quietMs,
      () => {
        compared = compared.then(compare)
      },
      clock,
    )
  }
  const compare = async () => {
    const changedPaths = new Set<string>()
    const folders = [...dirty]
    const replaced = new Set(renamedPaths)
    dirty.clear()
    renamedPaths.clear()
    for (const path of folders) await compareOne(path, replaced, changedPaths)
    if (!closed && changedPaths.size > 0) onChange([...changedPaths])
  }
  const compareOne = async (path: string, replaced: ReadonlySet<string>, changed: Set<string>) => {
    const folder = watchedFolders.get(path)
    if (folder === undefined) return
    const { files, folders } = await readFolder(path, folder.below)
    for (const name of differing(folder.files, files)) changed.add(join(path, name))
    const others = [...new Set([...folder.folders.keys(), ...folders.keys()])].filter(
      name => folder.folders.get(name) !== folders.get(name) || replaced.has(join(path, name)),
    )
    Object.assign(folder, { files, folders })
    // A folder that was put in the place of another is watched again.
    for (const name of others) forget(join(path, name), changed)
    for (const name of others.filter(other => folders.has(other))) await open(join(path, name), true, changed)
  }
  const forget = (path: string, changed: Set<string>) => {
    const folder = watchedFolders.get(path)
    if (folder === undefined) return
    folder.close()
    watchedFolders.delete(path)
    for (const name of folder.files.keys()) changed.add(join(path, name))
    for (const name of folder.folders.keys()) forget(join(path, name), changed)
  }
  /** Watched before it is read: what comes in between is seen twice, and not missed. */
  const open = async (path: string, below: boolean, changed?: Set<string>): Promise<void> => {
    const watchedFolder = watchedFolders.get(path)
    if (closed || watchedFolder?.below === true || (watchedFolder !== undefined && !below)) return
    const close = watchedFolder?.close ?? watchOne(path, onEvent, onUnwatched)
    const folder: WatchedFolder = { close, below, files: new Map(), folders: new Map(), ...watchedFolder }
    watchedFolders.set(path, folder)
    const { files, folders } = await readFolder(path, below)
    // The files of a folder that was watched already are compared after their event.
    Object.assign(folder, { below, folders }, watchedFolder === undefined && { files })
    for (const name of folder.files.keys()) changed?.add(join(path, name))
    for (const name of folder.folders.keys()) await open(join(path, name), true, changed)
  }

  return {
    /** Watches the files of a folder (absolute), and with `below` those of all folders in it. Resolves once they are watched. */
    add(folder: string, { below }: { readonly below: boolean }): Promise<void> {
      // One after the other: to a comparison, all files of a folder that is still being read would be new.
      compared = compared.then(() => open(folder, below))
      return compared
    },
    close() {
      closed = true
      cancel()
      for (const { close } of watchedFolders.values()) close()
    },
  }
}

/** Milliseconds without a further change: an editor writes, renames and sets permissions one after the other. */
const quietMs = 25

/** Texts by name that differ after each change of the file, or of the folder. */
interface FolderContent {
  readonly files: ReadonlyMap<string, string>
  readonly folders: ReadonlyMap<string, string>
}

interface WatchedFolder extends FolderContent {
  readonly below: boolean
  close(): void
}

function differing(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...now.keys()])
  return [...names].filter(name => before.get(name) !== now.get(name))
}

type OnEvent = (folder: string, type: string, name: string | null) => void

function watchOne(path: string, onEvent: OnEvent, onUnwatched: WatchOptions['onUnwatched']): () => void {
  let watcher: FSWatcher
  try {
    watcher = watch(path, (type, name) => onEvent(path, type, name))
  } catch (error) {
    onUnwatched(path, getErrorReason(error))
    return () => undefined
  }
  // Of a folder that was removed, where the system says so.
  watcher.on('error', () => watcher.close())
  return () => watcher.close()
}

/** A folder that is gone, or may not be read, is empty. */
async function readFolder(path: string, below: boolean): Promise<FolderContent> {
  const entries = await readdir(path).catch(() => [])
  const own = entries.filter(name => !name.startsWith('.') && name !== 'node_modules')
  const files = new Map<string, string>()
  const folders = new Map<string, string>()
  await Promise.all(
    own.map(async name => {
      const stats = await stat(join(path, name), { bigint: true }).catch(() => undefined)
      if (stats?.isFile() === true)
        files.set(name, `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`)
      else if (below && stats?.isDirectory() === true) folders.set(name, String(stats.ino))
    }),
  )
  return { files, folders }
}
