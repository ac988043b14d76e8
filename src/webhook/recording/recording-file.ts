import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { CliError } from '../../errors.ts'
import { beginsLikeRecorded } from './recorded-line.ts'
import { nextRotated } from './rotated-files.ts'

/** What a recording is written with; a test hands in a disk that fails. */
export interface Disk {
  /** Writes some of the bytes at the end of the file; how many. */
  write(file: number, bytes: Uint8Array): number
  truncate(file: number, length: number): void
}

/** What a person should know of the file. */
export type FileNews =
  /** Its last line had no end when it was opened; the next line begins with one. */
  | { readonly kind: 'torn' }
  | { readonly kind: 'readable-by-others'; readonly mode: number }
  /** Somebody removed it; a new one is begun. */
  | { readonly kind: 'removed' }
  /** It could not be put aside and grows on. */
  | { readonly kind: 'not-rotated'; readonly reason: string }

export interface RecordingFileOptions {
  readonly path: string
  /** Bytes that a file may have before it is put aside. */
  readonly rotate?: number | undefined
  readonly disk?: Disk | undefined
  tell(news: FileNews): void
}

export interface RecordingFile {
  /**
   * Appends a whole line at once, or nothing of it.
   * @throws what the system throws. Whatever that is, a line that follows stands alone.
   */
  append(line: Buffer): void
  close(): void
}

const realDisk: Disk = {
  write: (file, bytes) => writeSync(file, bytes),
  truncate: (file, length) => ftruncateSync(file, length),
}

/**
 * Opens a file to append to, 0600 where it is new. Writing is synchronous: what write() took is the system's, and a kill
 * of this process loses nothing of it; fsync would only help against a power cut.
 * @throws CliError `usage` when it cannot be opened, is no plain file, or holds something else than a recording.
 */
export function openRecordingFile(options: RecordingFileOptions): RecordingFile {
  const { path, rotate, disk = realDisk, tell } = options
  let { file, torn } = openToAppend(path)
  let rotates = true
  const mode = fstatSync(file).mode & 0o777
  if ((mode & 0o044) !== 0) tell({ kind: 'readable-by-others', mode })
  if (torn) tell({ kind: 'torn' })

  const reopen = () => {
    const next = openToAppend(path)
    closeSync(file)
    file = next.file
    torn = next.torn
  }
  const putAside = (inode: number) => {
    try {
      // What stands there may be another file by now, or nothing after a rotation that ended half-way.
      if (statSync(path, { throwIfNoEntry: false })?.ino === inode) renameSync(path, nextRotated(path))
      reopen()
      rotates = true
    } catch (error) {
      if (rotates)
        tell({ kind: 'not-rotated', reason: error instanceof Error ? error.message : String(error) })
      rotates = false
    }
  }
  const prepare = (line: Buffer) => {
    const { nlink, size, ino } = fstatSync(file)
    // Removed, with its folder perhaps: what is written to it now is gone when it is closed.
    if (nlink === 0) {
      reopen()
      tell({ kind: 'removed' })
    } else if (rotate !== undefined && size > 0 && size + line.length > rotate) {
      putAside(ino)
    }
  }
  /** Whether nothing of a line is left that was written in part. */
  const takeBack = (size: number) => {
    try {
      if (fstatSync(file).size > size) disk.truncate(file, size)
      return true
    } catch {
      torn = true
      return false
    }
  }
  return {
    append(line) {
      prepare(line)
      const { size } = fstatSync(file)
      let left: Uint8Array = torn ? Buffer.concat([newline, line]) : line
      try {
        while (left.length > 0) left = left.subarray(writeSome(disk, file, left))
        torn = false
      } catch (error) {
        // A line that lacks its newline alone is whole; written again it would be there twice.
        if (!takeBack(size) && left.length === 1) return
        throw error
      }
    },
    close: () => closeSync(file),
  }
}

function writeSome(disk: Disk, file: number, bytes: Uint8Array): number {
  const written = disk.write(file, bytes)
  if (written === 0) throw new Error('the disk takes no more')
  return written
}

const newline = Buffer.from('\n')

/** The file, and whether its last line has no end. */
function openToAppend(path: string): { file: number; torn: boolean } {
  let file: number | undefined
  try {
    // Opening a pipe that nobody reads would wait for ever.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is no plain file')
    file = openSync(path, 'a+', 0o600)
    const { size } = fstatSync(file)
    const start = Buffer.alloc(Math.min(size, 64))
    readSync(file, start, 0, start.length, 0)
    if (size > 0 && !beginsLikeRecorded(start)) throw new Error('it holds something else than a recording')
    const last = Buffer.alloc(1)
    const torn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && !last.equals(newline)
    return { file, torn }
  } catch (error) {
    if (file !== undefined) closeSync(file)
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('usage', `cannot record into ${path}: ${reason}`, {
      hint: 'give --record another file, in a folder that exists and can be written to',
      cause: error,
    })
  }
}
