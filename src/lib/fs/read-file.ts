import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readFile as readWhole } from 'node:fs/promises'

/** Opening a pipe that has no writer would wait, and hold the process with it. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The bytes of a file. A named pipe, a device, a socket and a folder are refused at once; what a shell hands over as
 * `/dev/stdin` or `<(…)` is read to its end.
 * @throws the error of the system, or one with the code ENOTFILE.
 */
export async function readFile(path: string): Promise<Buffer> {
  if (isShellPipe(path)) return readWhole(path)
  const { handle } = await openFile(path)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Opens a file for reading, as `readFile` does, with more flags; a pipe of the shell may not have its bytes yet. */
export async function openFile(
  path: string,
  flags = 0,
): Promise<{ readonly handle: FileHandle; readonly status: Stats }> {
  const handle = await open(path, withoutWaiting | flags)
  try {
    const status = await handle.stat()
    assertFile(path, status)
    return { handle, status }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** @throws an error with the code ENOTFILE for what is no file, and no pipe of the shell. */
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
