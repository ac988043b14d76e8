import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError, describeFileError, getErrorReason } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import type { ReceivedDelivery } from '../conversation/index.ts'
import { cannotRecord } from './errors.ts'
import {
  openRecordingFile,
  type RecordingFileEvent,
  type RecordingFileOptions,
  recordBody,
  redactRequest,
  type Secrecy,
  toRecordedLine,
} from './recording-file.ts'
import type { recorderTotalsSchema } from './totals-schema.ts'

export interface RecorderOptions extends RecordingFileOptions, Secrecy {
  readonly clock: Clock
  /** Reports what a person should know, at once. Must not throw. */
  onEvent(news: RecorderEvent): void
  /** Replaces lockRecording. */
  lock?(path: string, clock: Clock): Promise<RecorderLock>
}

interface RecorderLock {
  isLost(): boolean
  release(): Promise<void>
}

export type RecorderEvent =
  | RecordingFileEvent
  /** No event has been recorded since then, ISO 8601. */
  | { readonly kind: 'failing'; readonly since: string; readonly reason: string }
  | { readonly kind: 'resumed'; readonly missing: number }

export type Recorder = Awaited<ReturnType<typeof openRecorder>>

export type RecorderTotals = Readonly<z.infer<typeof recorderTotalsSchema>>

/**
 * Opens a recording for this process only. When `append` returns true, the event is written to the operating system, so that its sender
 * can get a response and a kill loses nothing. Nothing is kept in memory: an event that cannot be written must not be acknowledged.
 * @throws CallyardError `conflict` if another process records into the file, `usage` if it cannot be used.
 */
export async function openRecorder({
  secretHeader,
  keepSecrets,
  lock: acquire = lockRecording,
  ...options
}: RecorderOptions) {
  const { clock, onEvent } = options
  const path = await trueName(options.path)
  let lock = await acquire(path, clock)
  const file = await openOrRelease({ ...options, path }, lock)
  let isClosed = false
  let eventCount = 0
  let missing = 0
  let missingSince: string | undefined
  /** Deliveries that could not be recorded: a broker hands over the same one again. */
  const unrecordedDeliveries = new WeakSet<ReceivedDelivery>()
  let isFailing = false
  let reportedAt = Number.NEGATIVE_INFINITY
  let isReported = false

  /** Takes the lock again: a disk that vanished takes it along. What another process took stays with it. */
  const relock = async () => {
    const newLock = await acquire(path, clock).catch(() => undefined)
    if (newLock === undefined) return
    if (isClosed || !lock.isLost()) await newLock.release()
    else lock = newLock
  }
  const write = (line: Buffer) => {
    if (lock.isLost()) {
      void relock()
      throw new Error('the lock of the file was lost')
    }
    file.append(line)
  }
  const fail = (delivery: ReceivedDelivery, at: string, error: unknown) => {
    if (!unrecordedDeliveries.has(delivery)) missing++
    unrecordedDeliveries.add(delivery)
    missingSince ??= at
    if (isFailing) return
    isFailing = true
    if (clock.now() - reportedAt < reportEveryMs) return
    reportedAt = clock.now()
    isReported = true
    onEvent({ kind: 'failing', since: at, reason: getErrorReason(error) })
  }
  return {
    /** Records an event. Returns false if it could not be recorded. Never throws. */
    append(delivery: ReceivedDelivery): boolean {
      const { body, at = new Date(clock.now()).toISOString() } = delivery
      try {
        const redactedRequest = redactRequest(delivery, { secretHeader, keepSecrets })
        write(Buffer.from(toRecordedLine({ at, ...redactedRequest, ...recordBody(body) })))
      } catch (error) {
        // Such as a body that is too large for one string.
        fail(delivery, at, error)
        return false
      }
      eventCount++
      if (unrecordedDeliveries.delete(delivery)) missing--
      if (missing === 0) missingSince = undefined
      isFailing = false
      if (isReported) onEvent({ kind: 'resumed', missing })
      isReported = false
      return true
    },
    /** Closes the file and frees the lock. Never rejects. */
    async close(): Promise<RecorderTotals> {
      if (!isClosed) {
        isClosed = true
        file.close()
        await lock.release()
      }
      return { recorded: eventCount, missing, missingSince }
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
 * @throws CallyardError `conflict` when another one records into the file, `usage` when it cannot be locked.
 */
export function lockRecording(path: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: holder => recordedElsewhere(path, holder?.pid),
    cannotLock: error => cannotRecord(path, `it cannot be locked: ${describeFileError(error)}`, error),
  })
}

const recordedElsewhere = (path: string, pid: number | undefined) =>
  new CallyardError(
    'conflict',
    `another tail${pid === undefined ? '' : ` (process ${pid})`} is already recording to ${path}`,
    { code: 'recorded-elsewhere', hint: 'stop it, or record to another file', details: { path, pid } },
  )
