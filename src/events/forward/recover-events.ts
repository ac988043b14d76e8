import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError, describeFileError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { type Disk, splitLines } from '../../lib/fs/line-file.ts'
import { parseJson } from '../../lib/json.ts'
import { parseLine, recordedEvents } from '../recordings/index.ts'
import { eventsNotKept } from './errors.ts'
import {
  doneSchema,
  type EntryRange,
  headerSchema,
  type LogFile,
  reopenLogFile,
  type StoredTarget,
} from './event-log.ts'
import { readEntryBody } from './target-queue.ts'
import type { QueuedEvent } from './target-sender.ts'

interface Options {
  readonly folder: string
  /** Keys of our targets. */
  readonly targets: ReadonlySet<string>
  readonly clock: Clock
  readonly disk?: Disk | undefined
  /** True if another process has taken over the files of this lock. */
  isTaken(lock: FileLock): boolean
}

/**
 * Recovers the events that ended or killed processes left in the folder. Files of live processes are skipped; the others stay locked until
 * `close`, so that no two processes deliver them.
 */
export async function recoverEvents({ folder, targets, clock, disk, isTaken }: Options) {
  const events: { readonly target: string; readonly queued: QueuedEvent }[] = []
  const waiting = new Map<string, { target: StoredTarget; events: number }>()
  const unreadable: string[] = []
  const logFiles: LogFile[] = []
  const locks: FileLock[] = []

  const openFile = async (path: string, lock: FileLock) => {
    // Before it is read: what is written to it from now on shows in its size.
    const file = reopenLogFile(path, { disk })
    logFiles.push(file)
    const content = await readLogFile(createReadStream(path))
    if (content === undefined) return void unreadable.push(path)
    for (const { range, targets: missingTargets } of content.unfinished) {
      const entry = file.entry(range, missingTargets.length)
      const recordedEvent = entry.read()
      const [event] = recordedEvents(recordedEvent)
      for (const number of missingTargets) {
        const target = content.targets[number]
        if (target === undefined || event === undefined) continue
        waiting.set(target.key, { target, events: (waiting.get(target.key)?.events ?? 0) + 1 })
        if (!targets.has(target.key)) continue
        const { callId, type } = event
        const { at } = recordedEvent
        const queued: QueuedEvent = {
          callId,
          type,
          at,
          isStored: true,
          isTaken: () => isTaken(lock),
          load: () => readEntryBody(entry),
          done: () => entry.done(number),
          leave() {},
        }
        events.push({ target: target.key, queued })
      }
    }
    file.seal()
  }
  const openRun = async (name: string, files: readonly string[]) => {
    const lock = await lockRun(join(folder, name), clock).catch(error => {
      // Its process lives.
      if (error instanceof CallyardError && error.kind === 'conflict') return undefined
      throw error
    })
    if (lock === undefined) return
    locks.push(lock)
    for (const file of files) {
      const path = join(folder, file)
      await openFile(path, lock).catch(() => unreadable.push(path))
    }
  }
  const close = async () => {
    for (const file of logFiles) file.close()
    for (const lock of locks) await lock.release()
  }
  try {
    for (const { name, files } of await runsOf(folder)) await openRun(name, files)
  } catch (error) {
    await close()
    throw error
  }
  return {
    /** Events for targets of ours (by their keys) that an earlier process accepted and did not deliver, in the order of their arrival. */
    events,
    /** Number of waiting events per target, including other processes' targets. */
    waiting: [...waiting.values()],
    /** Files that cannot be read. */
    unreadable,
    /** Deliveries that could not be recorded yet. */
    get unwritten() {
      return logFiles.reduce((sum, file) => sum + file.unwritten, 0)
    },
    /** Leaves them for another process. Never rejects. */
    close,
  }
}

/** One process works on the files of a name. */
export function lockRun(path: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: () =>
      new CallyardError('conflict', `another process is forwarding the events in ${path}`, {
        code: 'forwarded-elsewhere',
        details: { path },
      }),
    cannotLock: error =>
      eventsNotKept(dirname(path), `${path} cannot be locked: ${describeFileError(error)}`, error),
  })
}

/**
 * Returns the files of each process, oldest first. A process that was killed before its first event leaves only a lock, which is removed
 * when it is taken and released.
 */
async function runsOf(folder: string) {
  const runs = new Map<string, { file: string; number: number }[]>()
  for (const file of await readdir(folder)) {
    const [, name, number] = /^(\d{8}T\d{9}Z-[0-9a-f]{8})\.(?:(\d{1,9})\.ndjson|lock)$/.exec(file) ?? []
    if (name === undefined) continue
    const runFiles = runs.get(name) ?? []
    runs.set(name, number === undefined ? runFiles : [...runFiles, { file, number: Number(number) }])
  }
  return [...runs]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, files]) => ({
      name,
      files: files.sort((one, other) => one.number - other.number).map(({ file }) => file),
    }))
}

/**
 * Reads a log file: its targets, and their undelivered events in order of arrival. Without a complete first line there are no targets,
 * and no events. Undefined for other files and unsupported versions. Partially written lines are skipped, because their sender got no
 * response. A line that lacks only its newline is complete, as in `LineFile.append`.
 * @throws CallyardError `usage` for an event of an unsupported version.
 */
export async function readLogFile(chunks: AsyncIterable<Buffer>) {
  const unfinished = new Map<number, { readonly range: EntryRange; readonly targets: Set<number> }>()
  let targets: readonly StoredTarget[] | undefined
  let events = 0
  let offset = 0
  for await (const { bytes, ended } of splitLines(chunks, Number.POSITIVE_INFINITY)) {
    if (bytes === undefined) break
    const range = { number: events, offset, length: bytes.length + 1 }
    offset += range.length
    if (targets === undefined) {
      targets = parse(headerSchema, bytes)?.targets
      if (targets === undefined && !ended && beginsLikeHeader(bytes)) break
      if (targets === undefined) return undefined
    } else if (parseLine(bytes) !== undefined) {
      unfinished.set(events++, { range, targets: new Set(targets.keys()) })
    } else {
      const record = parse(doneSchema, bytes)
      const left = record === undefined ? undefined : unfinished.get(record.event)?.targets
      if (record !== undefined) left?.delete(record.target)
      if (record !== undefined && left?.size === 0) unfinished.delete(record.event)
    }
  }
  return {
    targets: targets ?? [],
    unfinished: [...unfinished.values()].map(({ range, targets: left }) => ({ range, targets: [...left] })),
  }
}

/** True if a torn line may be a header. Other files must not be removed. */
function beginsLikeHeader(bytes: Buffer): boolean {
  const beginning = '{"kind":"forward","version":1,'
  return beginning.startsWith(bytes.subarray(0, beginning.length).toString('latin1'))
}

function parse<Schema extends z.core.$ZodType>(schema: Schema, bytes: Buffer): z.output<Schema> | undefined {
  return z.safeParse(schema, parseJson(bytes.toString('utf8'))).data
}
