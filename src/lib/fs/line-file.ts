import { closeSync, fstatSync, fsync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

/** Functions that write lines; tests pass a disk that fails. */
export interface Disk {
  /** Writes some of the bytes at the end of the file; how many. */
  write(file: number, bytes: Uint8Array): number
  truncate(file: number, length: number): void
  /** Resolves when what was written is on the disk; default: the system's. */
  sync?(file: number): Promise<void>
}

const realDisk: Disk = {
  write: (file, bytes) => writeSync(file, bytes),
  truncate: (file, length) => ftruncateSync(file, length),
}
const syncFile = promisify(fsync)

export type LineFile = ReturnType<typeof openLineFile>

/**
 * Opens a file of lines for appending, with mode 0600 if it is new. Writes are synchronous: data passed to write() survives a kill of
 * this process; fsync would only help against a power failure.
 * @throws errors of the file system.
 */
export function openLineFile(path: string, disk: Disk = realDisk) {
  const file = openSync(path, 'a+', 0o600)
  const { ino: inode, mode } = fstatSync(file)
  /** Bytes, of the file as it is now. */
  const size = () => fstatSync(file).size
  /** Bytes from a place on; fewer at the end. @throws the error of the system. */
  const read = (offset: number, length: number) => {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, offset))
  }
  let torn = false
  let isOpen = true
  try {
    torn = size() > 0 && !read(size() - 1, 1).equals(newline)
  } catch (error) {
    closeSync(file)
    throw error
  }
  /** Removes a partially written line; returns true on success. */
  const rollback = (length: number) => {
    try {
      if (size() > length) disk.truncate(file, length)
      return true
    } catch {
      torn = true
      return false
    }
  }
  /**
   * Appends a whole line or nothing; returns its byte offset.
   * @throws errors of the system. The next line is separate, even after a partially written one.
   */
  const append = (line: Buffer) => {
    const end = size()
    const start = torn ? end + 1 : end
    let rest: Uint8Array = torn ? Buffer.concat([newline, line]) : line
    try {
      while (rest.length > 0) rest = rest.subarray(writeSome(disk, file, rest))
      torn = false
    } catch (error) {
      // A line that lacks its newline alone is whole; written again it would be there twice.
      if (rollback(end) || rest.length !== 1) throw error
    }
    return start
  }
  return {
    size,
    /** True if the file still has a name. */
    exists: () => fstatSync(file).nlink > 0,
    inode,
    mode: mode & 0o777,
    /** True if the last line is unterminated; the next write terminates it. */
    get torn() {
      return torn
    },
    append,
    /**
     * Appends whole lines that a power cut does not lose, or nothing of them. One call at a time.
     * @throws as append does. Where the lines could not be taken back, the file is torn.
     */
    async appendSynced(lines: Buffer) {
      const end = size()
      append(lines)
      try {
        await (disk.sync ?? syncFile)(file)
      } catch (error) {
        rollback(end)
        throw error
      }
    },
    /**
     * Ends a last line that is whole without its newline; removes any other unterminated one, which a killed process left and never
     * acknowledged. @throws errors of the system
     */
    repair(isWhole: (line: Buffer) => boolean) {
      if (!torn) return
      const end = size()
      let start = end
      for (let lineStart = -1; lineStart === -1 && start > 0; ) {
        const from = Math.max(0, start - repairBytes)
        lineStart = read(from, start - from).lastIndexOf(newline)
        start = from + lineStart + 1
      }
      if (isWhole(read(start, end - start))) append(Buffer.alloc(0))
      else disk.truncate(file, start)
      torn = false
    },
    read,
    close() {
      // Closed twice, the number may be another file's by then.
      if (isOpen) closeSync(file)
      isOpen = false
    },
  }
}

/** Bytes that are searched at a time for the beginning of the last line. */
const repairBytes = 64 * 1024
const lineEnd = 10
const newline = Buffer.of(lineEnd)

function writeSome(disk: Disk, file: number, bytes: Uint8Array): number {
  const byteCount = disk.write(file, bytes)
  if (byteCount === 0) throw Object.assign(new Error('no space left on the disk'), { code: 'ENOSPC' })
  return byteCount
}

export interface Line {
  /** From 1. */
  readonly number: number
  /** Without its end; undefined for a line longer than the bound, which is read past. */
  readonly bytes: Buffer | undefined
  /** False for text after the last newline. */
  readonly ended: boolean
}

/** The lines of a stream of bytes, one after the other; at most one line of `maxLength` bytes is held in memory. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxLength: number,
): AsyncGenerator<Line, undefined> {
  for await (const lines of splitChunks(chunks, maxLength)) yield* lines
}

/** Splits chunks as `splitLines` does, and yields the lines that end in each: awaiting every line takes longer than finding it. */
export async function* splitChunks(chunks: AsyncIterable<Buffer>, maxLength: number) {
  let number = 1
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer) => {
    size += part.length
    if (size > maxLength) parts = []
    else parts.push(part)
  }
  const cutLine = (ended: boolean): Line => {
    const bytes = size > maxLength ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts, size)
    parts = []
    size = 0
    return { number: number++, bytes, ended }
  }

  for await (const chunk of chunks) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(lineEnd); end !== -1; end = chunk.indexOf(lineEnd, start)) {
      add(chunk.subarray(start, end))
      lines.push(cutLine(true))
      start = end + 1
    }
    if (start < chunk.length) add(chunk.subarray(start))
    if (lines.length > 0) yield lines
  }
  if (size > 0) yield [cutLine(false)]
}
