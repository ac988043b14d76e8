import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Sleeper } from '../../lib/clock.ts'
import { splitLines } from '../../lib/fs/line-file.ts'
import { cannotRead, readFileChunks } from './recording-chunks.ts'
import { parseLine, type RecordedEvent, type RotatedFile, rotatedFiles } from './recording-file.ts'

export interface FollowRecordingOptions {
  readonly clock: Sleeper
  /** Ends the events. */
  readonly signal: AbortSignal
  /** Time between looks at the file, in milliseconds. */
  readonly pollMs?: number
  /** Called each time all recorded events have been read. */
  onCaughtUp(): void
}

/** A tail accepts no event that is longer. */
const maxLineBytes = 256 * 1024 ** 2

/**
 * Reads the events of a recording, and then those that a `webhook tail --record` adds to it, until the signal is aborted. Follows the
 * recording when `--rotate` closes a file, and when the file is replaced. Skips lines that are not events.
 * @throws CallyardError `usage` when it cannot be read, or has an unsupported version
 */
export async function* followRecording(
  path: string,
  options: FollowRecordingOptions,
): AsyncGenerator<RecordedEvent, undefined> {
  try {
    for await (const { bytes } of splitLines(followBytes(path, options), maxLineBytes)) {
      const event = bytes === undefined ? undefined : parseLine(bytes)
      if (event !== undefined) yield event
    }
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? cannotRead(path, error) : error
  }
}

/** Ends with a newline wherever one file ends and the next one begins: a tail that was killed may have left part of a line. */
async function* followBytes(
  path: string,
  { clock, signal, pollMs = 500, onCaughtUp }: FollowRecordingOptions,
): AsyncGenerator<Buffer, undefined> {
  let file = await open(path)
  let lastClosed = 0
  let position = 0
  const rest = async function* (from: FileHandle) {
    for (;;) {
      const { bytesRead, buffer } = await from.read(Buffer.alloc(readBytes), 0, readBytes, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
  /** Files that were closed after `previous`, if any, and before the current one. */
  const closed = async function* (previous?: FileHandle) {
    const files = await closedFiles(path, { previous, current: file, lastClosed })
    lastClosed = files.unread.at(-1)?.number ?? files.lastClosed
    // Opened now: closed files may be renamed or compressed while they are read.
    for (const chunks of files.unread.map(unread => readFileChunks(unread.path))) {
      yield* chunks
      yield newline
    }
  }
  try {
    yield* closed()
    for (;;) {
      yield* rest(file)
      const { ino, size } = await file.stat()
      const current = await stat(path).catch(() => undefined)
      if (current !== undefined && (current.ino !== ino || size < position)) {
        // Lines written between the read and the rotation.
        yield* rest(file)
        yield newline
        const previous = file
        file = await open(path)
        position = 0
        try {
          yield* closed(previous)
        } finally {
          await previous.close()
        }
        continue
      }
      onCaughtUp()
      if (signal.aborted) return
      await clock.sleep(pollMs, signal).catch(() => undefined)
      if (signal.aborted) return
    }
  } finally {
    await file.close()
  }
}

const readBytes = 256 * 1024
const newline = Buffer.from('\n')

interface OpenFiles {
  /** Has been read to its end. */
  readonly previous: FileHandle | undefined
  readonly current: FileHandle
  /** Number of the last closed file that has been read; 0 if there is none. */
  readonly lastClosed: number
}

/**
 * Closed files that have not been read, oldest first, and the last one that has. Open files may be closed by now. One that was compressed
 * or moved since is read again, rather than skipped: what reads the events knows repeated ones.
 */
async function closedFiles(path: string, { previous, current, lastClosed }: OpenFiles) {
  const unread: RotatedFile[] = []
  for (const file of rotatedFiles(path).reverse()) {
    if (previous !== undefined && (await isSameFile(file.path, previous)))
      return { unread, lastClosed: file.number }
    if (file.number <= lastClosed) break
    // Rotated between opening and listing, and so were the later ones. All of them follow at the next look.
    if (await isSameFile(file.path, current)) unread.length = 0
    else unread.unshift(file)
  }
  return { unread, lastClosed }
}

async function isSameFile(path: string, file: FileHandle): Promise<boolean> {
  const [named, opened] = await Promise.all([stat(path).catch(() => undefined), file.stat()])
  return named?.ino === opened.ino
}
