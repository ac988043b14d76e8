// `promises` is loaded by its first use, node:fs/promises at once.
import { createHash } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  promises,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { systemClock } from '../clock.ts'

/** Opening a pipe that has no writer would wait, and hold the process with it. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a file. Rejects a named pipe, device, socket or folder immediately, but reads `/dev/stdin` and `<(…)` of a shell to the end.
 * @throws the error of the system, or one with the code ENOTFILE.
 */
export async function readFile(path: string): Promise<Buffer> {
  if (isShellPipe(path)) return promises.readFile(path)
  const { handle } = await openFile(path)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/**
 * Detects changes of a file by other processes. `hash` is the hash (hashContent) of its known content; undefined if the file is known not to exist.
 */
export function watchFile(path: string, hash: string | undefined) {
  let lastHash: string | undefined
  return {
    /** True if the content is unchanged. Reads the file only if the system reports a write. */
    async isUntouched(): Promise<boolean> {
      const status = await promises.stat(path, { bigint: true }).catch(() => undefined)
      const now = status === undefined ? 'none' : versionOf(status)
      const changedAt = Number(status?.ctimeMs ?? 0)
      if (now === lastHash) return true
      const currentHash = await hashFile(path).catch(() => undefined)
      if (hash === undefined ? now !== 'none' : currentHash !== hash) return false
      // Times are counted in ticks: a file that was written just now may be written again in the same one.
      if (changedAt + tickMs < systemClock.now()) lastHash = now
      return true
    },
  }
}

/** Like hashContent, without reading the whole file into memory. */
async function hashFile(path: string): Promise<string> {
  const { handle } = await openFile(path)
  try {
    const hash = createHash('sha256')
    // A stream would allocate a buffer for each chunk: as many bytes as the file has, until they are collected.
    const buffer = Buffer.allocUnsafeSlow(readBytes)
    for (let length = -1; length !== 0; ) {
      // With its length: Yarn's Plug'n'Play reads nothing without it.
      length = (await handle.read(buffer, 0, buffer.length)).bytesRead
      hash.update(buffer.subarray(0, length))
    }
    return hash.digest('base64url')
  } finally {
    await handle.close()
  }
}

const readBytes = 1 << 18

/** More than a tick of any system's clock for files. */
const tickMs = 100

/** Identifies the content of a file; undefined if it cannot be told, as in the moment after a change. */
export function fileVersion(path: string): string | undefined {
  try {
    const status = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (status === undefined) return 'none'
    return Number(status.ctimeMs) + tickMs < systemClock.now() ? versionOf(status) : undefined
  } catch {
    return undefined
  }
}

/** Another one after each write: the time of the last change of a file cannot be set back. */
function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

/** Reads a few kilobytes synchronously at the start of a command, which is faster than threads and promises. */
export function readSmallFile(path: string): Buffer {
  const file = openSync(path, withoutWaiting)
  try {
    assertFile(path, fstatSync(file))
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Opens a file for reading, as `readFile` does, with more flags; a pipe of the shell may not have its bytes yet. */
export async function openFile(path: string, flags = 0) {
  const handle = await promises.open(path, withoutWaiting | flags)
  try {
    const status = await handle.stat()
    assertFile(path, status)
    return { handle, status }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** False for a folder, and where there is nothing. */
export async function isFile(path: string): Promise<boolean> {
  return promises.stat(path).then(
    status => status.isFile(),
    () => false,
  )
}

/** @throws an error with the code ENOTFILE for anything but a file or a pipe of the shell. */
export function assertFile(path: string, status: Stats): void {
  if (status.isFile() || (isShellPipe(path) && !status.isDirectory())) return
  throw Object.assign(new Error(`it is ${nameOf(status)}, not a file`), { code: 'ENOTFILE' })
}

function isShellPipe(path: string): boolean {
  return /^\/(dev\/stdin|(dev|proc\/self)\/fd\/\d+)$/.test(path)
}

function nameOf(status: Stats): string {
  if (status.isDirectory()) return 'a folder'
  if (status.isFIFO()) return 'a named pipe'
  return status.isSocket() ? 'a socket' : 'a device'
}
