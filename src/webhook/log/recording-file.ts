import { readdirSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { reasonOf } from '../../lib/error.ts'
import { type Disk, type LineFile, openLineFile } from '../../lib/fs/line-file.ts'
import { webhookError } from '../errors.ts'
import { beginsLikeRecorded } from './recorded-event.ts'

/** What a person should know of the file. */
export type RecordingFileEvent =
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
  onEvent(news: RecordingFileEvent): void
}

export interface RecordingFile {
  /**
   * Appends a whole line at once, or nothing of it.
   * @throws what the system throws. Whatever that is, a line that follows stands alone.
   */
  append(line: Buffer): void
  close(): void
}

/**
 * Opens a recording to append to, 0600 where it is new.
 * @throws CallwrightError `usage` when it cannot be opened, is no plain file, or holds something else than a recording.
 */
export function openRecordingFile(options: RecordingFileOptions): RecordingFile {
  const { path, rotate, disk, onEvent } = options
  let file = openToAppend(path, disk)
  let rotates = true
  if ((file.mode & 0o044) !== 0) onEvent({ kind: 'readable-by-others', mode: file.mode })
  if (file.torn) onEvent({ kind: 'torn' })

  const reopen = () => {
    const next = openToAppend(path, disk)
    file.close()
    file = next
  }
  const putAside = () => {
    try {
      // What stands there may be another file by now, or nothing after a rotation that ended half-way.
      if (statSync(path, { throwIfNoEntry: false })?.ino === file.inode) renameSync(path, nextRotated(path))
      reopen()
      rotates = true
    } catch (error) {
      if (rotates) onEvent({ kind: 'not-rotated', reason: reasonOf(error) })
      rotates = false
    }
  }
  return {
    append(line) {
      // Removed, with its folder perhaps: what is written to it now is gone when it is closed.
      if (!file.exists()) {
        reopen()
        onEvent({ kind: 'removed' })
      } else if (rotate !== undefined) {
        const size = file.size()
        if (size > 0 && size + line.length > rotate) putAside()
      }
      file.append(line)
    },
    close: () => file.close(),
  }
}

function openToAppend(path: string, disk: Disk | undefined): LineFile {
  let file: LineFile | undefined
  try {
    // Opening a pipe that nobody reads would wait for ever.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is no plain file')
    file = openLineFile(path, disk)
    const size = file.size()
    if (size > 0 && !beginsLikeRecorded(file.read(0, 64)))
      throw new Error('it holds something else than a recording')
    return file
  } catch (error) {
    file?.close()
    throw webhookError('usage', 'cannot-record', { path, reason: reasonOf(error) }, error)
  }
}

interface RotatedFile {
  readonly path: string
  readonly number: number
}

/**
 * What `--rotate` put aside of a recording, oldest first. `calls.ndjson` becomes `calls.1.ndjson`, the next one
 * `calls.2.ndjson`: a file that was put aside keeps its name, and the highest number is the newest.
 * @throws what the system throws for a folder that cannot be listed.
 */
export function rotatedFiles(path: string): RotatedFile[] {
  const { stem, extension } = partsOf(path)
  return readdirSync(dirname(path))
    .flatMap(name => {
      if (!name.startsWith(`${stem}.`) || !name.endsWith(extension)) return []
      const between = name.slice(stem.length + 1, name.length - extension.length)
      // Nine digits: a date in a name is no number of ours.
      if (!/^[1-9]\d{0,8}$/.test(between)) return []
      return [{ path: join(dirname(path), name), number: Number(between) }]
    })
    .sort((one, other) => one.number - other.number)
}

/** The name under which a recording is put aside next; no file has it. */
export function nextRotated(path: string): string {
  const { stem, extension } = partsOf(path)
  const newest = rotatedFiles(path).at(-1)?.number ?? 0
  return join(dirname(path), `${stem}.${newest + 1}${extension}`)
}

function partsOf(path: string): { stem: string; extension: string } {
  const extension = extname(path)
  return { stem: basename(path, extension), extension }
}
