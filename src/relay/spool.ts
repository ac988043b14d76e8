import { existsSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { CallyardError, describeFileError, getErrorCode } from '../lib/error.ts'
import { lockFile } from '../lib/fs/file-lock.ts'
import type { Disk } from '../lib/fs/line-file.ts'
import { makeFolder } from '../lib/fs/make-folder.ts'
import { syncFolder } from '../lib/fs/replace-file.ts'
import { createDeferred } from '../lib/queue.ts'
import { spoolUnusable } from './errors.ts'
import type { AcceptedDelivery } from './relayed-event.ts'
import {
  type LineRange,
  loadSegments,
  openSegment,
  type SpoolSegment,
  type StoredMessage,
} from './segment.ts'

export interface SpoolOptions {
  /** Created with mode 0700. */
  readonly folder: string
  readonly maxBytes: number
  readonly clock: Clock
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number
  /** Milliseconds that the broker has been connected without trouble; never goes backwards. */
  readonly brokerUptime: () => number
  readonly disk?: Disk | undefined
  /** Default: 16 MiB. */
  readonly segmentBytes?: number
}

export type Spool = Awaited<ReturnType<typeof openSpool>>

export interface SpooledEvent {
  readonly segment: SpoolSegment
  readonly range: LineRange
  /** Undefined if it must be read from the segment. */
  readonly accepted?: AcceptedDelivery | undefined
}

/** Tells whether the stream has, or had, a message, and whether it lacks others between its first and its last one. */
export type FindStored = (
  message: StoredMessage,
) => Promise<{ readonly isStored: boolean; readonly hasHoles: boolean }>

interface WaitingLine {
  readonly line: Buffer
  readonly accepted: AcceptedDelivery | undefined
  readonly done: PromiseWithResolvers<void>
}

/**
 * Time that an acknowledged event stays. JetStream acknowledges before it syncs (every two minutes by default). Shorter than the
 * deduplication window of the stream, so that what is published again is recognized.
 */
export const retentionMs = 12 * 60_000
/** The deduplication window of the stream (15 minutes), less the time to publish a segment. */
const recognizedMs = 14 * 60_000
const defaultSegmentBytes = 16 * 1024 ** 2
/** Bytes of lines that wait for one sync. */
const maxGroupBytes = 64 * 1024 ** 2
/** Bytes of deliveries that are kept in memory until they are published for the first time. */
const maxRecentBytes = 16 * 1024 ** 2
/** Events that are published in one write. */
const maxNextEvents = 64
const maxNextBytes = 1024 ** 2

/**
 * Opens the events that a relay has accepted and JetStream may lack, in segment files of one folder. One process at a time.
 * @throws CallyardError `conflict` if another process has it, `usage` if the folder cannot be used
 */
export async function openSpool(options: SpoolOptions) {
  const {
    folder,
    maxBytes,
    clock,
    monotonicMs,
    brokerUptime,
    disk,
    segmentBytes = defaultSegmentBytes,
  } = options
  const unusable = (error: unknown) => spoolUnusable(folder, describeFileError(error), error)
  await makeFolder(folder, 0o700).catch(error => {
    throw unusable(error)
  })
  const reserve = createReserve(join(folder, 'reserve'))
  const takeLock = () =>
    lockFile(join(folder, 'spool'), {
      clock,
      inUse: holder => spoolInUse(folder, holder?.pid),
      cannotLock: unusable,
    })
  const lock = await takeLock().catch(error => {
    // Starting is what empties a full disk, and needs a few bytes of it.
    if (!isOutOfSpace(error) || !reserve.release()) throw error
    return takeLock()
  })
  const segments = await loadSegments(folder, monotonicMs(), disk).catch(async error => {
    await lock.release()
    throw unusable(error)
  })
  let nextNumber = (segments.at(-1)?.number ?? 0) + 1
  /** Takes the next lines; others are sealed. */
  let current: SpoolSegment | undefined
  /** Lines are being synced to it, even if it has been sealed since. */
  let writing: SpoolSegment | undefined
  let generation = 1
  let cursor = { segment: 0, line: 0 }
  let wake = createDeferred()
  let group: WaitingLine[] = []
  const recent = new Map<LineRange, AcceptedDelivery>()
  let recentBytes = 0
  let groupBytes = 0
  let flushing: Promise<void> | undefined
  let unpublished = segments.reduce((sum, segment) => sum + segment.unpublished, 0)
  let isClosed = false
  /** The disk had no room for the last group. */
  let isDiskFull = await reserve.acquire().then(
    () => false,
    () => true,
  )

  const bytes = () => segments.reduce((sum, segment) => sum + segment.bytes, groupBytes)
  const drop = (index: number) => {
    segments[index]?.remove()
    forget(index)
  }
  const forget = (index: number) => {
    segments.splice(index, 1)
    if (cursor.segment > index) cursor = { ...cursor, segment: cursor.segment - 1 }
    else if (cursor.segment === index) cursor = { segment: index, line: 0 }
  }
  const isSealed = (segment: SpoolSegment) => segment !== current && segment !== writing
  const removeAcknowledged = (isRemovable: (segment: SpoolSegment) => boolean) => {
    for (const segment of [...segments])
      if (isSealed(segment) && segment.isComplete(generation) && isRemovable(segment))
        drop(segments.indexOf(segment))
  }
  /** Removes the oldest events that JetStream has; false if it has none. */
  const removeOldest = () => {
    const index = segments.findIndex(
      segment => isSealed(segment) && segment.lines.length > 0 && segment.isComplete(generation),
    )
    if (index !== -1) drop(index)
    return index !== -1
  }
  /** Removes events that JetStream has had for a while. */
  const expire = () =>
    removeAcknowledged(
      ({ completedAt }) => completedAt !== undefined && brokerUptime() - completedAt >= retentionMs,
    )
  const seal = () => {
    current = undefined
  }
  const createSegment = () => {
    const number = nextNumber++
    const path = join(folder, `${String(number).padStart(9, '0')}.ndjson`)
    const segment = openSegment(path, { number, openedAt: monotonicMs(), disk })
    segments.push(segment)
    return segment
  }
  const remember = (range: LineRange, accepted: AcceptedDelivery | undefined) => {
    if (accepted === undefined || recentBytes + range.length > maxRecentBytes) return
    recent.set(range, accepted)
    recentBytes += range.length
  }
  const recall = (range: LineRange) => {
    const accepted = recent.get(range)
    if (recent.delete(range)) recentBytes -= range.length
    return accepted
  }
  /** On a full disk, each group would leave an open file. An empty one that cannot be removed now is removed by the next process. */
  const dropEmpty = (segment: SpoolSegment) => {
    forget(segments.indexOf(segment))
    try {
      segment.remove()
    } catch {}
  }
  const writeLines = async (lines: readonly WaitingLine[]) => {
    try {
      if (lock.isLost()) throw new Error('another process took the spool over')
      const isNew = current === undefined
      writing = current ?? createSegment()
      current = writing
      if (isNew) await syncFolder(folder)
      const ranges = await writing.append(lines.map(({ line }) => line))
      for (const [index, range] of ranges.entries()) remember(range, lines[index]?.accepted)
      unpublished += lines.length
      if (writing.bytes >= segmentBytes) seal()
    } catch (error) {
      // A file is unreliable after a failed sync, so the next group starts a new one.
      seal()
      if (writing?.lines.length === 0) dropEmpty(writing)
      throw error
    } finally {
      writing = undefined
    }
  }
  /** Writes lines. On a full disk, acknowledged events make room, as they do at `maxBytes`. */
  const writeWhereRoom = async (lines: readonly WaitingLine[]): Promise<void> => {
    try {
      // Not in the room that the next start needs.
      await reserve.acquire()
      await writeLines(lines)
      isDiskFull = false
    } catch (error) {
      isDiskFull = isOutOfSpace(error)
      if (!isDiskFull || !removeOldest()) throw error
      await writeWhereRoom(lines)
    }
  }
  /** Senders turn away from a full disk, so that no event shows that there is room again. */
  const findRoom = async () => {
    removeAcknowledged(() => true)
    reserve.release()
    isDiskFull = await reserve.acquire().then(
      () => false,
      () => true,
    )
  }
  const writeGroup = async () => {
    const lines = group
    group = []
    try {
      await writeWhereRoom(lines)
      for (const { done } of lines) done.resolve()
      wake.resolve()
      wake = createDeferred()
    } catch (error) {
      for (const { done } of lines) done.reject(error)
    }
    groupBytes -= lines.reduce((sum, { line }) => sum + line.length, 0)
  }
  const flush = async () => {
    while (group.length > 0) await writeGroup()
    flushing = undefined
  }
  return {
    folder,
    /** True if a line of this size would exceed the limit. Acknowledged events make room first. */
    isFull(lineBytes = 0): boolean {
      if (groupBytes + lineBytes > maxGroupBytes) return true
      const isOver = () => bytes() + lineBytes > maxBytes
      if (!isOver()) return false
      seal()
      removeAcknowledged(isOver)
      return isOver()
    },
    /** True if the disk had no room for the last events, and none was found since. */
    get isDiskFull() {
      return isDiskFull
    },
    /**
     * Appends the line of a delivery. Resolves once it is synced; lines that arrive during a sync share the next one. Rejects as the
     * system does.
     */
    append(line: Buffer, accepted?: AcceptedDelivery): Promise<void> {
      const done = createDeferred()
      group.push({ line, accepted, done })
      groupBytes += line.length
      flushing ??= flush()
      return done.promise
    },
    /** The next events to publish, once there are any; none when the signal aborts. */
    async next(signal: AbortSignal): Promise<readonly SpooledEvent[]> {
      const events: SpooledEvent[] = []
      let eventBytes = 0
      while (!signal.aborted && !isClosed) {
        const segment = segments[cursor.segment]
        const range = segment?.lines[cursor.line]
        if (segment !== undefined && range !== undefined) {
          cursor = { ...cursor, line: cursor.line + 1 }
          events.push({ segment, range, accepted: recall(range) })
          eventBytes += range.length
          if (events.length >= maxNextEvents || eventBytes >= maxNextBytes) break
        } else if (segment !== undefined && isSealed(segment)) {
          cursor = { segment: cursor.segment + 1, line: 0 }
        } else if (events.length > 0) break
        else await untilAborted(wake.promise, signal)
      }
      return events
    },
    /** Returns true if it is the first acknowledgment of the event. */
    acknowledge({ segment, range }: SpooledEvent, message: StoredMessage | undefined): boolean {
      const isFirst = segment.acknowledge(range.index, {
        ...{ generation, message, now: monotonicMs(), uptime: brokerUptime() },
      })
      if (isFirst) unpublished--
      return isFirst
    },
    /**
     * Makes `next` return, after trouble of the broker, every event that the stream may lack: those after the last message that it still
     * has, and all that it recognizes if it has lost messages in between. Returns how many of them had been acknowledged.
     */
    async rewind(findStored: FindStored): Promise<number> {
      seal()
      expire()
      generation++
      cursor = { segment: 0, line: 0 }
      /** The stream has every message up to this sequence. */
      let wholeUntil = 0
      const isThere = async ({ stored, acknowledgedAt }: SpoolSegment) => {
        if (stored === undefined) return false
        if (stored.sequence <= wholeUntil) return true
        const { isStored, hasHoles } = await findStored(stored)
        if (isStored && !hasHoles) wholeUntil = stored.sequence
        return isStored && (!hasHoles || monotonicMs() - acknowledgedAt > recognizedMs)
      }
      let repeated = 0
      for (const segment of segments.toReversed()) {
        if (await isThere(segment)) segment.renew(generation)
        else segment.invalidate()
        repeated += segment.lost
      }
      return repeated
    },
    /** True if the event was acknowledged since the last trouble. */
    isAcknowledged: ({ segment, range }: SpooledEvent) => segment.isAcknowledged(range.index, generation),
    /**
     * Starts a new segment if events are being published, removes old acknowledged events, and saves which messages are stored. Called
     * every half minute.
     */
    async tidy() {
      // Without a broker, one segment takes all events, or each half minute would have an open file.
      if (current !== undefined && current.unpublished < current.lines.length) seal()
      expire()
      if (isDiskFull) await findRoom()
      for (const segment of segments.filter(isSealed)) await segment.saveStored()
    },
    get bytes() {
      return bytes()
    },
    get events() {
      return segments.reduce((sum, { lines }) => sum + lines.length, 0)
    },
    /** Events that JetStream has never acknowledged. */
    get unpublished() {
      return unpublished + group.length
    },
    /** Milliseconds since the segment of the oldest unpublished event was begun; 0 without one. */
    get backlogMs() {
      const oldest = segments.find(segment => segment.unpublished > 0)
      return oldest === undefined ? 0 : monotonicMs() - oldest.openedAt
    },
    /** Waits for the lines that are being written, and releases the folder. Never rejects. */
    async close() {
      if (isClosed) return
      await flushing
      isClosed = true
      wake.resolve()
      seal()
      for (const segment of segments) {
        await segment.saveStored().catch(() => undefined)
        segment.close()
      }
      await lock.release()
    },
  }
}

function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const aborted = createDeferred()
  const onAbort = () => aborted.resolve()
  signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

const reserveBytes = 64 * 1024

/** A file that keeps a part of the disk free: what a relay writes at its start, which then empties the spool. */
function createReserve(path: string) {
  let isThere = existsSync(path)
  return {
    /** Writes the file unless it exists. @throws the error of a full disk; others do not matter */
    async acquire(): Promise<void> {
      if (isThere) return
      try {
        await writeFile(path, Buffer.alloc(reserveBytes), { mode: 0o600, flush: true })
      } catch (error) {
        rmSync(path, { force: true })
        if (isOutOfSpace(error)) throw error
      }
      isThere = true
    },
    /** Removes the file; false if there is none. */
    release(): boolean {
      if (!isThere) return false
      rmSync(path)
      isThere = false
      return true
    },
  }
}

/** True for an error of a disk that is full, or of a user who may not write more. */
function isOutOfSpace(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return ['ENOSPC', 'EDQUOT'].includes(getErrorCode(cause) ?? '')
}

const spoolInUse = (folder: string, pid: number | undefined) =>
  new CallyardError(
    'conflict',
    `another relay${pid === undefined ? '' : ` (process ${pid})`} is using ${folder}`,
    {
      code: 'spool-in-use',
      hint: 'stop it, or choose another spool folder',
      details: { folder, pid },
    },
  )
