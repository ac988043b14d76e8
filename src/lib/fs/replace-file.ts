import { randomUUID } from 'node:crypto'
import { fsync } from 'node:fs'
import {
  constants,
  copyFile,
  type FileHandle,
  link,
  open,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { platform as thisPlatform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../clock.ts'
import { CallwrightError, codeOf, reasonOf } from '../error.ts'

/** What replacing a file depends on. */
export interface Machine {
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform
  readonly clock: Pick<Clock, 'sleep'>
}

interface ReplaceOptions {
  /** Permission bits of a new file, as the umask allows them. */
  readonly mode: number
  readonly machine: Machine
  /** What a file that is there keeps: its owner where the system allows it, or that and its exact permissions. */
  readonly keeps?: 'owner' | 'owner-and-permissions'
  /** The temporary file has a fixed name, so that `removeLeftover` finds what a kill left. The caller holds a lock. */
  readonly isLocked?: boolean
}

/**
 * Replaces a whole file: after a kill or a power cut the old or the new text is there, never a part.
 * @throws the error of the system; the old file is then as it was.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode, machine, keeps, isLocked = false }: ReplaceOptions,
): Promise<void> {
  const old = keeps === undefined ? undefined : await stat(path).catch(() => undefined)
  const oldMode = keeps === 'owner-and-permissions' ? old?.mode : undefined
  const temporary = temporaryFor(path, isLocked ? '' : `.${randomUUID()}`)
  if (isLocked) await rm(temporary, { force: true })
  // `wx` follows no link that another process put there.
  const handle = await open(temporary, 'wx', oldMode ?? mode)
  try {
    try {
      // writeFile goes on after a short write; a full disk is an error here, before anything is replaced.
      await handle.writeFile(text)
      // The umask took some permissions away.
      if (oldMode !== undefined) await handle.chmod(oldMode & 0o7777)
      // Only root may give a file away.
      if (old !== undefined) await handle.chown(old.uid, old.gid).catch(() => {})
      await syncFile(handle)
    } finally {
      await handle.close()
    }
    await renameOver(temporary, path, machine)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Replaces a file of a project that the caller has locked; one that is there keeps its permissions and its owner.
 * @throws CallwrightError `usage` when it cannot be written; the old file is then as it was.
 */
export async function replaceLocked(
  path: string,
  text: string,
  options: Pick<ReplaceOptions, 'mode' | 'machine'>,
): Promise<void> {
  await replaceFile(path, text, { ...options, keeps: 'owner-and-permissions', isLocked: true }).catch(
    error => {
      throw cannotWrite(path, error)
    },
  )
}

/** Removes the temporary file of a `replaceLocked` that was killed. @throws CallwrightError `usage` when it cannot. */
export async function removeLeftover(path: string): Promise<void> {
  const temporary = temporaryFor(path)
  await rm(temporary, { force: true }).catch(error => {
    throw cannotWrite(temporary, error)
  })
}

export function cannotWrite(path: string, error: unknown): CallwrightError {
  return new CallwrightError('usage', `cannot write ${path}: ${reasonOf(error)}`, {
    hint: 'check the free space, and the permissions of the file and its folder',
    cause: error,
  })
}

/**
 * Puts a copy of a whole file where there is none; false where something is. Of several processes one can. Unlike renaming,
 * linking never replaces a file; not every file system can link.
 */
export async function putIfFree(draft: string, place: string): Promise<boolean> {
  try {
    await link(draft, place).catch(error => {
      if (codeOf(error) === 'EEXIST') throw error
      return copyFile(draft, place, constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Writes a whole file where there is none; false where something is. After a kill or a power cut it is there whole, or not at all.
 * @throws the error of the system
 */
export async function writeNewFile(path: string, text: string, mode = 0o666): Promise<boolean> {
  const draft = temporaryFor(path, `.${randomUUID()}`)
  try {
    await writeFile(draft, text, { flag: 'wx', mode, flush: true })
    return await putIfFree(draft, path)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
    await syncFolder(dirname(path))
  }
}

function temporaryFor(path: string, unique = ''): string {
  return join(dirname(path), `.${basename(path)}${unique}.callwright-tmp`)
}

/** Resolves when what was written is on the disk. Yarn's Plug'n'Play does not implement `FileHandle.sync`. */
export async function syncFile(handle: FileHandle): Promise<void> {
  await promisify(fsync)(handle.fd)
}

/** On Windows a file that an editor, an indexer or a virus scanner has open cannot be replaced at that moment. */
const busyCodes = ['EPERM', 'EBUSY', 'EACCES']
/** Before each further try: a little more than two seconds in all. */
const retryDelaysMs = [10, 20, 40, 80, 160, 320, 640, 1000]

/**
 * Renames a file over another one. On Windows a file that is in use is tried again for about two seconds.
 * @throws the error of the system.
 */
export async function renameOver(
  from: string,
  to: string,
  { platform = thisPlatform(), clock }: Machine,
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await move(from, to)
    } catch (error) {
      const delay = retryDelaysMs[attempt]
      if (platform !== 'win32' || delay === undefined || !isBusy(error)) throw error
      await clock.sleep(delay)
    }
  }
}

function isBusy(error: unknown): boolean {
  return busyCodes.some(code => code === codeOf(error))
}

/** Makes durable which files a folder has. Not every system can open a folder. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await syncFile(handle)
    } finally {
      await handle.close()
    }
  } catch {}
}
