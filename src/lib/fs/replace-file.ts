import { createHash, randomUUID } from 'node:crypto'
import { fsync, rmSync } from 'node:fs'
import {
  constants,
  copyFile,
  type FileHandle,
  link,
  lstat,
  open,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { platform } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { CallwrightError, codeOf, reasonOf } from '../error.ts'

type MakeChunks = () => Iterable<string> | AsyncIterable<string | Uint8Array>

interface ReplaceOptions {
  /** Permission bits, whatever the umask. Default: those of the file, or what the umask leaves of 0666 for a new one. */
  readonly mode?: number | undefined
  /** The temporary file has a fixed name, so that `removeLeftover` finds it after a kill. The caller holds a lock. */
  readonly isLocked?: boolean
}

/** On Windows a file that an editor, an indexer or a virus scanner has open cannot be replaced at that moment. */
const busyTimeoutMs = platform() === 'win32' ? 2000 : 0

/**
 * Replaces a whole file, through a link to its target: after a kill or a power cut the old or the new text is there, never
 * a part. The file keeps its owner where the system allows it. A text that is too long for one string is made in chunks,
 * from the start again where the first attempt fails.
 * @throws the error of the system, and what making a chunk throws; the old file is then as it was.
 */
export async function replaceFile(
  path: string,
  text: string | MakeChunks,
  { mode, isLocked = false }: ReplaceOptions = {},
): Promise<void> {
  await assertReplaceable(path)
  const { writeFile: writeAtomically } = await import('atomically')
  let temporary: string | undefined
  const tmpCreate = (target: string) => {
    const hasFixedName = isLocked && temporary === undefined
    temporary = temporaryFor(target, hasFixedName ? '' : `.${randomUUID()}`)
    // A link that another process put there is not followed.
    if (hasFixedName) rmSync(temporary, { force: true })
    return temporary
  }
  const options = { ...(mode !== undefined && { mode }), timeout: busyTimeoutMs, tmpCreate }
  // A stream, because atomically writes a string once, and a full disk takes only a part of it without an error.
  const write = (ownership: { chown?: false }) =>
    writeAtomically(path, toStream(text), { ...options, ...ownership })
  try {
    await write({}).catch(error => {
      // Root cannot give files away everywhere: not in a user namespace, nor on some network file systems.
      if (!(error instanceof Error && 'syscall' in error && error.syscall === 'chown')) throw error
      return write({ chown: false })
    })
  } catch (error) {
    // atomically removes it too, but does not wait for that.
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  if (temporary !== undefined) await syncFolder(dirname(temporary))
}

function toStream(text: string | MakeChunks): Readable {
  const chunks = Readable.from(typeof text === 'string' ? [text] : text(), { highWaterMark: 1 })
  // atomically pipes without handling errors of the source.
  chunks.pipe = destination => {
    chunks.once('error', error => destination instanceof Writable && destination.destroy(error))
    Readable.prototype.pipe.call(chunks, destination)
    return destination
  }
  return chunks
}

/**
 * atomically would create a missing folder, and give a file another name when its own is too long.
 * @throws the error of the system
 */
async function assertReplaceable(path: string): Promise<void> {
  await stat(dirname(path))
  await lstat(path).catch(error => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
}

/**
 * Replaces a file of a project that the caller has locked; one that is there keeps its permissions and its owner.
 * @throws CallwrightError `usage` when it cannot be written; the old file is then as it was.
 */
export async function replaceLocked(path: string, text: string | MakeChunks): Promise<void> {
  await replaceFile(path, text, { isLocked: true }).catch(error => {
    throw cannotWrite(path, error)
  })
}

/** Removes the temporary file of a `replaceLocked` that was killed. @throws CallwrightError `usage` when it cannot. */
export async function removeLeftover(path: string): Promise<void> {
  const temporary = temporaryFor(await realpath(path).catch(() => path))
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

/** At most 128 characters: atomically shortens longer names, and two of them may then be the same. */
function temporaryFor(path: string, unique = ''): string {
  const name = basename(path)
  const short = Buffer.byteLength(name) > 64 ? createHash('sha256').update(name).digest('hex') : name
  return join(dirname(path), `.${short}${unique}.callwright-tmp`)
}

/** Resolves when what was written is on the disk. Yarn's Plug'n'Play does not implement `FileHandle.sync`. */
export async function syncFile(handle: FileHandle): Promise<void> {
  await promisify(fsync)(handle.fd)
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
