import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Clock } from '../lib/clock.ts'
import { splitLines } from '../lib/fs/line-file.ts'
import { cannotRead, readFileChunks } from './recording-chunks.ts'
import { parseLine, type RecordedEvent, rotatedFiles } from './recording-file.ts'

export interface FollowRecordingOptions {
  readonly clock: Pick<Clock, 'sleep'>
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
 * @throws CallwrightError `usage` when it cannot be read, or has an unsupported version
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
  for (const { path: rotated } of rotatedFiles(path)) {
    yield* readFileChunks(rotated)
    yield newline
  }
  let file = await open(path)
  let position = 0
  const rest = async function* (from: FileHandle) {
    for (;;) {
      const { bytesRead, buffer } = await from.read(Buffer.alloc(readBytes), 0, readBytes, position)
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
  try {
    for (;;) {
      yield* rest(file)
      const { ino, size } = await file.stat()
      const current = await stat(path).catch(() => undefined)
      if (current !== undefined && (current.ino !== ino || size < position)) {
        // Lines written between the read and the rotation.
        yield* rest(file)
        yield newline
        for (const rotated of await filesAfter(path, ino)) {
          yield* readFileChunks(rotated)
          yield newline
        }
        await file.close()
        file = await open(path)
        position = 0
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

/** Files that were closed after the one with this inode number, oldest first. */
async function filesAfter(path: string, inode: number): Promise<readonly string[]> {
  const rotated = rotatedFiles(path)
  const inodes = await Promise.all(
    rotated.map(file =>
      stat(file.path).then(
        ({ ino }) => ino,
        () => undefined,
      ),
    ),
  )
  const index = inodes.indexOf(inode)
  return index === -1 ? [] : rotated.slice(index + 1).map(file => file.path)
}
