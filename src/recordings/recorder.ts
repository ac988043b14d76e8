import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ReceivedDelivery } from '../conversation/index.ts'
import type { Clock } from '../lib/clock.ts'
import { getErrorReason } from '../lib/error.ts'
import { describeFileError } from '../lib/fs/file-error.ts'
import { type FileLock, lockFile } from '../lib/fs/file-lock.ts'
import { recordingError } from './errors.ts'
import {
  openRecordingFile,
  type RecordingFileEvent,
  type RecordingFileOptions,
  recordBody,
  redactHeaders,
  toRecordedLine,
} from './recording-file.ts'

export interface RecorderOptions extends RecordingFileOptions {
  /** Name of a header whose value is a secret. */
  readonly secretHeader?: string | undefined
  /** Bytes of lines kept while nothing can be written; default: 64 MiB. */
  readonly maxWaiting?: number | undefined
  readonly clock: Clock
  /** Reports what a person should know, at once. Must not throw. */
  onEvent(news: RecorderEvent): void
  /** Replaces lockRecording. */
  lock?(path: string, clock: Clock): Promise<RecorderLock>
}

interface WaitingLine {
  readonly at: string
  readonly line: Buffer
  readonly onWritten: (() => void) | undefined
}

type RecorderLock = Pick<FileLock, 'isLost' | 'release'>

export type RecorderEvent =
  | RecordingFileEvent
  /** Nothing has been written since then, ISO 8601. */
  | { readonly kind: 'failing'; readonly since: string; readonly reason: string }
  | { readonly kind: 'resumed'; readonly missing: number }

export type Recorder = Awaited<ReturnType<typeof openRecorder>>

/** `missing` counts the events that are not in the recording; the first of them arrived at `missingSince`, ISO 8601. */
export type RecorderTotals = Awaited<ReturnType<Recorder['close']>>

/**
 * Opens a recording for this process only. When `append` returns, the event is written to the operating system, so that its sender can
 * get a response and a kill loses nothing. Lines wait in memory only while writes fail, in order; lines that do not fit are counted as
 * missing.
 * @throws CallwrightError `conflict` if another process records into the file, `usage` if it cannot be used.
 */
export async function openRecorder({
  secretHeader,
  maxWaiting = 64 * 1024 ** 2,
  lock: takeLock = lockRecording,
  ...options
}: RecorderOptions) {
  const { clock, onEvent } = options
  const path = await trueName(options.path)
  let lock = await takeLock(path, clock)
  const file = await openOrRelease({ ...options, path }, lock)
  const waiting: WaitingLine[] = []
  const closing = new AbortController()
  let waitingBytes = 0
  let recorded = 0
  let missing = 0
  let missingSince: string | undefined
  let failing = false
  let reportedAt = Number.NEGATIVE_INFINITY
  let isReported = false

  const miss = (at: string) => {
    missing++
    missingSince ??= at
  }
  const write = (line: Buffer) => {
    if (lock.isLost()) throw new Error('the lock of the file was lost')
    file.append(line)
    recorded++
  }
  const fail = (at: string, error: unknown) => {
    if (failing) return
    failing = true
    void retry()
    if (clock.now() - reportedAt < reportEveryMs) return
    reportedAt = clock.now()
    isReported = true
    onEvent({ kind: 'failing', since: at, reason: getErrorReason(error) })
  }
  const drain = () => {
    let written = 0
    try {
      for (const { line, onWritten } of waiting) {
        write(line)
        waitingBytes -= line.length
        written++
        onWritten?.()
      }
    } catch {
      return
    } finally {
      waiting.splice(0, written)
    }
    failing = false
    if (isReported) onEvent({ kind: 'resumed', missing })
    isReported = false
  }
  /** A disk that vanished takes the lock along; what another process took stays with it. */
  const relock = async () => {
    const taken = await takeLock(path, clock).catch(() => undefined)
    if (taken === undefined) return
    if (closing.signal.aborted) await taken.release()
    else lock = taken
  }
  const retry = async () => {
    while (failing && !closing.signal.aborted) {
      await clock.sleep(retryEveryMs, closing.signal).catch(() => {})
      if (lock.isLost()) await relock()
      if (failing && !closing.signal.aborted) drain()
    }
  }
  const keep = (kept: WaitingLine) => {
    const { at, line } = kept
    if (waitingBytes + line.length > maxWaiting) return miss(at)
    waiting.push(kept)
    waitingBytes += line.length
  }
  return {
    /** Records an event, or remembers that it could not. `onWritten` is called once the event is in the file. Never throws. */
    append(
      { body, headers, at = new Date(clock.now()).toISOString() }: ReceivedDelivery,
      onWritten?: () => void,
    ) {
      try {
        const kept = redactHeaders(headers, secretHeader)
        const line = Buffer.from(toRecordedLine({ at, headers: kept, ...recordBody(body) }))
        if (failing) return keep({ at, line, onWritten })
        try {
          write(line)
        } catch (error) {
          keep({ at, line, onWritten })
          return fail(at, error)
        }
        onWritten?.()
      } catch (error) {
        // Such as a body that is too large for one string.
        miss(at)
        fail(at, error)
      }
    },
    /** Writes what waits where that is possible, closes the file and frees the lock. Never rejects. */
    async close() {
      if (!closing.signal.aborted) {
        closing.abort()
        if (failing) drain()
        for (const { at } of waiting) miss(at)
        file.close()
        await lock.release()
      }
      return { recorded, missing, missingSince }
    },
  }
}

async function openOrRelease(options: RecordingFileOptions, lock: RecorderLock) {
  try {
    return openRecordingFile(options)
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Between attempts to write again. */
const retryEveryMs = 1000
/** A disk that is nearly full fails and works in turns: one report a minute. */
const reportEveryMs = 60_000

/** The file itself, not a link to it, so that one recording has one lock. */
async function trueName(path: string): Promise<string> {
  return realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  )
}

/**
 * One tail per recording.
 * @throws CallwrightError `conflict` when another one records into the file, `usage` when it cannot be locked.
 */
export function lockRecording(path: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: holder => recordingError('conflict', 'recorded-elsewhere', { path, pid: holder?.pid }),
    cannotLock: error =>
      recordingError(
        'usage',
        'cannot-record',
        { path, reason: `it cannot be locked: ${describeFileError(error)}` },
        error,
      ),
  })
}
