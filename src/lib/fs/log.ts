import { readSync } from 'node:fs'
import { dirname } from 'node:path'
import { getErrorCode } from '../error.ts'
import { parseJson } from '../json.ts'
import { createDeferred } from '../queue.ts'
import { type Disk, type Line, type LineFile, openLineFile, splitLines } from './line-file.ts'
import { makeFolder } from './make-folder.ts'
import { openFile } from './read-file.ts'
import { replaceFile, syncFolder } from './replace-file.ts'

export interface LogOptions {
  readonly disk?: Disk | undefined
  /** Lock that protects the file: nothing is written without it. */
  readonly lock?: { isHeld(): boolean } | undefined
}

interface LineGroup {
  readonly lines: Buffer[]
  /** Bytes. */
  length: number
  /** Offset of the first line, once all are on the disk. */
  readonly start: Promise<number>
}

type MakeChunks = () => Iterable<string> | AsyncIterable<string | Uint8Array>

export type Log = ReturnType<typeof openLog>

/** Bytes of the tail copied at a time by a compaction; appends wait for at most this many. */
const maxTailBytes = 256 * 1024

/**
 * Opens a file of JSON lines that survive a power cut, for one process at a time. The first line creates it, and its folder. What a
 * killed process left of a line is removed before the next one is written; a line that lacks only its newline is whole.
 */
export function openLog(path: string, { disk, lock }: LogOptions = {}) {
  const folder = dirname(path)
  let file: LineFile | undefined
  /** Lines that are written together once the disk is free. */
  let group: LineGroup | undefined
  let busy: Promise<unknown> = Promise.resolve()
  /** Offset after the last line that is on the disk. */
  let committedEnd = 0
  let compaction: { readonly controller: AbortController; readonly done: Promise<void> } | undefined

  // A process that has taken the lock over may have read the file before a line was added, and removed or replaced it.
  const assertHeld = () => {
    if (lock?.isHeld() === false) throw new Error('another process took its lock')
  }
  const open = async () => {
    await makeFolder(folder)
    const lineFile = openLineFile(path, disk)
    try {
      lineFile.repair(line => parseJson(line.toString()) !== undefined)
      return lineFile
    } catch (error) {
      lineFile.close()
      throw error
    }
  }
  const close = () => {
    file?.close()
    file = undefined
    committedEnd = 0
  }
  /** One piece of work after the other. */
  const exclusively = <Result>(work: () => Promise<Result>) => {
    const result = busy.then(work)
    busy = result.catch(() => {})
    return result
  }
  const write = async (lines: Buffer) => {
    assertHeld()
    file ??= await open()
    if (!file.exists()) throw new Error('it was removed while it was in use')
    if (file.torn) throw new Error('its end could not be repaired after a failed write')
    const start = file.size()
    await file.appendSynced(lines)
    committedEnd = file.size()
    // A file that was made just now, in a folder that may be as new, has no name after a power cut.
    if (start === 0) for (const changedFolder of [folder, dirname(folder)]) await syncFolder(changedFolder)
    assertHeld()
    return start
  }
  const startGroup = () => {
    const lines: Buffer[] = []
    const start = exclusively(() => {
      if (group?.lines === lines) group = undefined
      return write(Buffer.concat(lines))
    })
    group = { lines, length: 0, start }
    return group
  }
  const replaceNow = async (makeChunks: MakeChunks) => {
    async function* whileHeld() {
      assertHeld()
      yield* makeChunks()
      assertHeld()
    }
    await replaceFile(path, whileHeld, { mode: 0o600, isLocked: true })
    close()
    assertHeld()
  }
  const compact = async (makeChunks: MakeChunks, { signal }: AbortController) => {
    // A replacement that has begun comes first.
    const start = await exclusively(async () => committedEnd)
    signal.throwIfAborted()
    const finished = createDeferred()
    let turn: Promise<void> | undefined
    const untilExclusive = () =>
      new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        group = undefined
        void exclusively(() => {
          resolve()
          return finished.promise
        })
      })
    async function* withTail() {
      for await (const chunk of makeChunks()) {
        signal.throwIfAborted()
        yield chunk
      }
      let offset = start
      const nextTail = () => {
        const bytes = file?.read(offset, Math.min(maxTailBytes, committedEnd - offset)) ?? Buffer.alloc(0)
        offset += bytes.length
        return bytes
      }
      while (committedEnd - offset > maxTailBytes) {
        signal.throwIfAborted()
        yield nextTail()
      }
      signal.throwIfAborted()
      turn ??= untilExclusive()
      await turn
      while (offset < committedEnd) yield nextTail()
    }
    await replaceNow(withTail).finally(finished.resolve)
  }
  return {
    /** From its first line on, until it is closed. */
    get isOpen() {
      return file !== undefined
    },
    /** Bytes; 0 before the first line. */
    size: () => file?.size() ?? 0,
    exists: () => file?.exists() === true,
    /**
     * Appends whole lines, and returns their offset once they are on the disk. Lines that come while the disk is busy share the next sync.
     * @throws when they cannot be written or the lock was lost; part of them may be at the end of the file
     */
    append(lines: string): Promise<number> {
      const bytes = Buffer.from(lines)
      const own = group ?? startGroup()
      const offset = own.length
      own.lines.push(bytes)
      own.length += bytes.length
      return own.start.then(start => start + offset)
    },
    /**
     * Replaces all lines atomically, after those that were appended before it and before those that are appended after it.
     * @throws as `append` and the generator do; the lines are as they were if that is before the end
     */
    replace(makeChunks: MakeChunks): Promise<void> {
      compaction?.controller.abort()
      group = undefined
      return exclusively(async () => {
        await compaction?.done
        await replaceNow(makeChunks)
      })
    },
    /**
     * Replaces the lines that are on the disk now, while others are appended, which follow the new ones; these wait until the file is in
     * place. Does nothing while another compaction runs. @throws as `replace`, and when that is called meanwhile
     */
    async compact(makeChunks: MakeChunks): Promise<void> {
      if (compaction !== undefined) return
      const controller = new AbortController()
      const work = compact(makeChunks, controller)
      const forget = () => {
        compaction = undefined
      }
      compaction = { controller, done: work.then(forget, forget) }
      await work
    },
    /** Writes what waits, and closes the file. */
    async close(): Promise<void> {
      compaction?.controller.abort()
      await exclusively(async () => {
        await compaction?.done
        close()
      })
    },
  }
}

/** Appends whole lines to a log that is open only for them. @throws as `Log.append` does */
export async function appendOnce(path: string, lines: string, lock: LogOptions['lock']): Promise<void> {
  const log = openLog(path, { lock })
  await log.append(lines).finally(log.close)
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
      const part = buffer.subarray(0, readSync(handle.fd, buffer, 0, length, offset))
      const end = part.indexOf(lineEnd)
      if (end !== -1 || part.length < length) return part.toString('utf8', 0, end === -1 ? part.length : end)
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
