import { fsync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { platform as thisPlatform } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Clock } from '../clock.ts'
import { codeOf } from '../error.ts'

/** What a durable write has to know of the machine. */
export interface Machine {
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform
  readonly clock: Pick<Clock, 'sleep'>
}

interface DurableWrite {
  /** In the folder of the file. It replaces the file in one step, and is removed when that fails. */
  readonly temporary: string
  /** `wx` refuses a temporary file that is there already. */
  readonly flag?: 'w' | 'wx'
  /** Permission bits of the file, as the umask allows them. */
  readonly mode: number
  readonly machine: Machine
  /** Sets owner and exact permissions before the file gets its name. */
  prepare?(handle: FileHandle): Promise<void>
}

/**
 * Writes a whole file, so that after a kill or a power cut the old or the new text is there, never a part.
 * @throws the error of the system; the old file is then as it was.
 */
export async function writeDurably(path: string, text: string, options: DurableWrite): Promise<void> {
  const { temporary, flag = 'w', mode, machine, prepare } = options
  const handle = await open(temporary, flag, mode)
  try {
    try {
      // writeFile goes on after a short write; a full disk is an error here, before anything is replaced.
      await handle.writeFile(text)
      await prepare?.(handle)
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

/** Resolves when what was written is on the disk. Yarn's Plug'n'Play does not implement `FileHandle.sync`. */
export async function syncFile(handle: FileHandle): Promise<void> {
  await promisify(fsync)(handle.fd)
}

/** On Windows a file that an editor, an indexer or a virus scanner has open cannot be replaced at that moment. */
const busyCodes = ['EPERM', 'EBUSY', 'EACCES']
/** Milliseconds before each further try: a little more than two seconds in all. */
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

/** Makes a renaming durable. Not every system can open a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await syncFile(handle)
    } finally {
      await handle.close()
    }
  } catch {}
}
