import { readSync } from 'node:fs'
import { dirname } from 'node:path'
import { getErrorCode } from '../error.ts'
import { type Disk, type Line, type LineFile, openLineFile, splitLines } from './line-file.ts'
import { makeFolder } from './make-folder.ts'
import { openFile } from './read-file.ts'
import { replaceFile, syncFolder } from './replace-file.ts'

export interface JournalOptions {
  readonly disk?: Disk | undefined
  /** Lock that protects the file: nothing is written without it. */
  readonly lock?: { isHeld(): boolean } | undefined
}

export type Journal = ReturnType<typeof createJournal>

/** Opens a file of JSON lines that survive a power cut. The first line creates it, and its folder. */
export function createJournal(path: string, { disk, lock }: JournalOptions = {}) {
  const folder = dirname(path)
  let file: LineFile | undefined
  // A process that has taken the lock over may have read the file before a line was added, and removed or replaced it.
  const assertHeld = () => {
    if (lock?.isHeld() === false) throw new Error('another process took its lock')
  }
  const open = async () => {
    await makeFolder(folder)
    return openLineFile(path, disk)
  }
  const close = () => {
    file?.close()
    file = undefined
  }
  return {
    /** From its first line on, until it is closed. */
    get isOpen() {
      return file !== undefined
    },
    /** Bytes; 0 before the first line. */
    size: () => file?.size() ?? 0,
    /** Bytes of an open journal from an offset on; fewer at the end. */
    read: (offset: number, length: number) => file?.read(offset, length) ?? Buffer.alloc(0),
    /** @throws when the lines cannot be written or the lock was lost; part of them may be at the end of the file */
    async append(lines: string) {
      assertHeld()
      file ??= await open()
      if (!file.exists()) throw new Error('it was removed while it was in use')
      if (file.torn) throw new Error('its end could not be repaired after a failed write')
      const isNew = file.size() === 0
      await file.appendSynced(Buffer.from(lines))
      // A file that was made just now, in a folder that may be as new, has no name after a power cut.
      if (isNew) for (const changedFolder of [folder, dirname(folder)]) await syncFolder(changedFolder)
      assertHeld()
    },
    /** Replaces all lines atomically, while nothing is appended. @throws as `append` and the generator do; the lines are as they were if that is before the end */
    async replace(makeChunks: () => Iterable<string> | AsyncIterable<string | Uint8Array>) {
      async function* whileHeld() {
        assertHeld()
        yield* makeChunks()
        assertHeld()
      }
      await replaceFile(path, whileHeld, { mode: 0o600, isLocked: true })
      close()
      assertHeld()
    },
    exists: () => file?.exists() === true,
    close,
  }
}

export function toLines(steps: readonly object[]): string {
  return steps.map(step => `${JSON.stringify(step)}\n`).join('')
}

const readBytes = 1024 * 1024

/** Streams the lines of a journal from an offset on. @throws system errors, as the stream does */
export async function streamLines(path: string, start = 0): Promise<AsyncGenerator<Line>> {
  const { handle } = await openFile(path)
  return splitLines(handle.createReadStream({ start, highWaterMark: readBytes }), Number.POSITIVE_INFINITY)
}

/**
 * Returns the steps of a journal; undefined if there is none.
 * @throws as replaySteps does
 */
export async function readSteps<Step>(
  path: string,
  parse: (value: unknown) => Step,
): Promise<readonly Step[] | undefined> {
  const steps: Step[] = []
  const replayed = await replaySteps(path, value => steps.push(parse(value)))
  return replayed && steps
}

/**
 * Hands over the steps of a journal from an offset on, one after the other, as parsed JSON with the offset of its line. Returns the offset
 * after the last complete line; undefined if there is no journal. A torn last line was never acknowledged: it counts only if just its
 * newline is missing.
 * @throws the error of the system for what cannot be read; without a code, what `onEntry` throws for a line
 */
export async function replaySteps(
  path: string,
  onEntry: (value: unknown, offset: number) => void,
  start = 0,
): Promise<{ readonly end: number; readonly isTorn: boolean } | undefined> {
  let end = start
  let isTorn = false
  try {
    for await (const { bytes, ended } of await streamLines(path, start)) {
      const offset = end
      if (ended) end += (bytes?.length ?? 0) + 1
      if (bytes === undefined || bytes.length === 0) continue
      isTorn = !ended
      onEntry(JSON.parse(bytes.toString()), offset)
    }
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT' || getErrorCode(error) === 'ENOTDIR') return undefined
    if (!isTorn) throw error
  }
  return { end, isTorn }
}

/** Returns the steps at these offsets of a journal, as parsed JSON. @throws system errors, and SyntaxError for anything but a step */
export async function readStepsAt(path: string, offsets: readonly number[]): Promise<readonly unknown[]> {
  if (offsets.length === 0) return []
  const { handle } = await openFile(path)
  // Synchronous: a promise for each of thousands of lines takes longer than reading them.
  const readLine = (offset: number) => {
    for (let length = lineBytes; ; length *= 8) {
      const buffer = Buffer.allocUnsafe(length)
      const read = buffer.subarray(0, readSync(handle.fd, buffer, 0, length, offset))
      const end = read.indexOf(lineEnd)
      if (end !== -1 || read.length < length) return read.toString('utf8', 0, end === -1 ? read.length : end)
    }
  }
  try {
    return offsets.map(offset => JSON.parse(readLine(offset)) as unknown)
  } finally {
    await handle.close()
  }
}

/** Most lines are shorter. */
const lineBytes = 1024
const lineEnd = 10
