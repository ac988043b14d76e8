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
import { type CallyardError, fileError, getErrorCode } from '../error.ts'

type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

interface ReplaceOptions {
  /** Permission bits, regardless of the umask. Default: those of the file, or 0666 less the umask for a new one. */
  readonly mode?: number | undefined
  /** The temporary file has a fixed name, so that `removeLeftover` finds it after a kill. The caller holds a lock. */
  readonly isLocked?: boolean
}

/** On Windows a file cannot be replaced while an editor, an indexer or a virus scanner has it open. */
const busyTimeoutMs = platform() === 'win32' ? 2000 : 0

/**
 * Replaces a file atomically, following a link to its target: after a kill or a power cut it has the old or the new text, never a
 * part. Keeps the owner if the system allows it. A text too long for one string is passed in chunks, which are generated again if the
 * first attempt fails.
 * @throws system errors and errors of the chunk generator; the old file is then unchanged.
 */
export async function replaceFile(
  path: string,
  text: string | (() => Chunks),
  { mode, isLocked = false }: ReplaceOptions = {},
): Promise<void> {
  await assertReplaceable(path)
  const { writeFile: writeAtomically } = await import('atomically')
  let temporary: string | undefined
  const tmpCreate = (target: string) => {
    const hasFixedName = isLocked && temporary === undefined
    temporary = temporaryFor(target, hasFixedName ? '' : `.${randomUUID()}`)
    // Does not follow a link that another process created there.
    if (hasFixedName) rmSync(temporary, { force: true })
    return temporary
  }
  const options = { ...(mode !== undefined && { mode }), timeout: busyTimeoutMs, tmpCreate }
  // A stream, because atomically writes a string once, and a full disk takes only a part of it without an error.
  const write = (ownership: { chown?: false }) =>
    writeAtomically(path, toStream(text), { ...options, ...ownership })
  try {
    await write({}).catch(error => {
      // chown fails even for root in a user namespace and on some network file systems.
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

function toStream(text: string | (() => Chunks)): Readable {
  const stream = new Readable()
  // atomically does not handle errors of the source stream.
  stream.pipe = destination => {
    if (destination instanceof Writable) {
      writeChunks(typeof text === 'string' ? [text] : text(), destination).then(
        () => destination.end(),
        error => destination.destroy(error),
      )
    }
    return destination
  }
  return stream
}

const writeBytes = 1 << 18

/**
 * Writes through one buffer, and waits for each write: a buffer for each chunk would take as much memory as the whole text, until they
 * are collected.
 */
async function writeChunks(chunks: Chunks, destination: Writable): Promise<void> {
  const encoder = new TextEncoder()
  const buffer = new Uint8Array(writeBytes)
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      destination.write(bytes, error => (error ? reject(error) : resolve()))
    })
  let bufferedLength = 0
  const flush = async () => {
    if (bufferedLength > 0) await write(buffer.subarray(0, bufferedLength))
    bufferedLength = 0
  }
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      await flush()
      await write(chunk)
      continue
    }
    for (let rest = chunk; rest !== ''; ) {
      const { read, written } = encoder.encodeInto(rest, buffer.subarray(bufferedLength))
      bufferedLength += written
      rest = rest.slice(read)
      if (rest !== '') await flush()
    }
  }
  await flush()
}

/** Checks the path first: atomically would create a missing folder and shorten a long file name. @throws system errors */
async function assertReplaceable(path: string): Promise<void> {
  await stat(dirname(path))
  await lstat(path).catch(error => {
    if (getErrorCode(error) !== 'ENOENT') throw error
  })
}

/**
 * Replaces a file of a project that the caller has locked; an existing file keeps its permissions and owner.
 * @throws CallyardError `usage` if it cannot be written; the old file is then unchanged.
 */
export async function replaceLocked(
  path: string,
  text: string | (() => Chunks),
  mode?: number,
): Promise<void> {
  await replaceFile(path, text, { isLocked: true, mode }).catch(error => {
    throw cannotWrite(path, error)
  })
}

/** Removes the temporary file of a `replaceLocked` that was killed. @throws CallyardError `usage` when it cannot. */
export async function removeLeftover(path: string): Promise<void> {
  const temporary = temporaryFor(await realpath(path).catch(() => path))
  await rm(temporary, { force: true }).catch(error => {
    throw cannotWrite(temporary, error)
  })
}

export function cannotWrite(path: string, error: unknown): CallyardError {
  return fileError(
    `cannot write ${path}`,
    error,
    'check free disk space, and the permissions of the file and its folder',
  )
}

/**
 * Creates a copy of a whole file; false if something exists there. Only one of several processes succeeds. Unlike renaming, linking never
 * replaces a file, but not every file system supports it.
 */
export async function putIfFree(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path).catch(error => {
      if (getErrorCode(error) === 'EEXIST') throw error
      return copyFile(draft, path, constants.COPYFILE_EXCL)
    })
    return true
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Writes a new file completely; false if something exists there. After a kill or a power failure it is complete or missing.
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
  return join(dirname(path), `.${short}${unique}.callyard-tmp`)
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
