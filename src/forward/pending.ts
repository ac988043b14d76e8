import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { Clock } from '../lib/clock.ts'
import { CallwrightError } from '../lib/error.ts'
import { fileReasonOf } from '../lib/fs/file-error.ts'
import { type FileLock, lockFile } from '../lib/fs/file-lock.ts'
import { type Disk, splitLines } from '../lib/fs/line-file.ts'
import { parseJson } from '../lib/json.ts'
import { parseLine, recordedEvents } from '../recordings/index.ts'
import { forwardError } from './errors.ts'
import {
  doneSchema,
  type EntryPlace,
  headerSchema,
  type LogFile,
  reopenLogFile,
  type StoredTarget,
} from './event-log.ts'
import { bodyOf } from './target-queue.ts'
import type { QueuedEvent } from './target-sender.ts'

interface Options {
  readonly folder: string
  /** Keys of our targets. */
  readonly targets: ReadonlySet<string>
  readonly clock: Clock
  readonly disk?: Disk | undefined
  /** Whether another process works on the files of this lock by now. */
  isTaken(lock: FileLock): boolean
}

/**
 * What processes that were ended or killed left in the folder, also in the files of the first version. What a living process works on
 * is left out; the rest is held until `close`, so that no two deliver it.
 */
export async function openPending({ folder, targets, clock, disk, isTaken }: Options) {
  const events: { readonly target: string; readonly queued: QueuedEvent }[] = []
  const waiting = new Map<string, { target: StoredTarget; events: number }>()
  const unreadable: string[] = []
  const opened: LogFile[] = []
  const locks: FileLock[] = []

  const openFile = async (path: string, lock: FileLock) => {
    // Before it is read: what is written to it from now on shows in its size.
    const file = reopenLogFile(path, { disk })
    opened.push(file)
    const content = await readLogFile(createReadStream(path))
    if (content === undefined) return void unreadable.push(path)
    for (const { place, targets: lacking } of content.lacking) {
      const entry = file.entry(place, lacking.length)
      const recorded = entry.read()
      const [event] = recordedEvents(recorded)
      for (const number of lacking) {
        const target = content.targets[number]
        if (target === undefined || event === undefined) continue
        waiting.set(target.key, { target, events: (waiting.get(target.key)?.events ?? 0) + 1 })
        if (!targets.has(target.key)) continue
        const { callId, type } = event
        const { at } = recorded
        const queued: QueuedEvent = {
          callId,
          type,
          at,
          kept: true,
          isTaken: () => isTaken(lock),
          load: () => bodyOf(entry),
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
      if (error instanceof CallwrightError && error.kind === 'conflict') return undefined
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
    for (const file of opened) file.close()
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
    /** How many events wait for each target, ours and others. */
    waiting: [...waiting.values()],
    /** Files that cannot be read. */
    unreadable,
    /** As of a file of the log. */
    get unwritten() {
      return opened.reduce((sum, file) => sum + file.unwritten, 0)
    },
    /** Leaves them for another process. Never rejects. */
    close,
  }
}

/** One process works on the files of a name. */
export function lockRun(path: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: () => forwardError('conflict', 'forwarded-elsewhere', { path }),
    cannotLock: error =>
      forwardError(
        'usage',
        'events-not-kept',
        { folder: dirname(path), reason: `${path} cannot be locked: ${fileReasonOf(error)}` },
        error,
      ),
  })
}

/**
 * The files of each process, both in the order in which they were begun. One that was killed before its first event left a lock
 * alone, which goes when it is taken and released.
 */
async function runsOf(folder: string) {
  const runs = new Map<string, { file: string; number: number }[]>()
  for (const file of await readdir(folder)) {
    const [, name, number] = /^(\d{8}T\d{9}Z-[0-9a-f]{8})\.(?:(\d{1,9})\.ndjson|lock)$/.exec(file) ?? []
    if (name === undefined) continue
    const known = runs.get(name) ?? []
    runs.set(name, number === undefined ? known : [...known, { file, number: Number(number) }])
  }
  return [...runs]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, files]) => ({
      name,
      files: files.sort((one, other) => one.number - other.number).map(({ file }) => file),
    }))
}

/**
 * What a file says, read to its end: its targets, and the events that targets lack in the order of their arrival. No targets where not
 * even the first line was written whole: the file holds no event then. Undefined for another file, or one of a version that callwright
 * does not know. A line that was written in part is passed over: its sender was not answered. A line that lacks its newline alone is
 * whole, as it is to `LineFile.append`.
 * @throws CallwrightError `usage` for an event of a later version.
 */
export async function readLogFile(chunks: AsyncIterable<Buffer>) {
  const lacking = new Map<number, { readonly place: EntryPlace; readonly targets: Set<number> }>()
  let targets: readonly StoredTarget[] | undefined
  let events = 0
  let offset = 0
  for await (const { bytes, ended } of splitLines(chunks, Number.POSITIVE_INFINITY)) {
    if (bytes === undefined) break
    const place = { number: events, offset, length: bytes.length + 1 }
    offset += place.length
    if (targets === undefined) {
      targets = readHeader(bytes)
      if (targets === undefined && !ended && beginsLikeHeader(bytes)) break
      if (targets === undefined) return undefined
    } else if (parseLine(bytes) !== undefined) {
      lacking.set(events++, { place, targets: new Set(targets.keys()) })
    } else {
      const done = parse(doneSchema, bytes)
      const left = done === undefined ? undefined : lacking.get(done.event)?.targets
      if (done !== undefined) left?.delete(done.target)
      if (done !== undefined && left?.size === 0) lacking.delete(done.event)
    }
  }
  return {
    targets: targets ?? [],
    lacking: [...lacking.values()].map(({ place, targets: left }) => ({ place, targets: [...left] })),
  }
}

function readHeader(bytes: Buffer): readonly StoredTarget[] | undefined {
  const header = parse(headerSchema, bytes)
  if (header === undefined) return undefined
  return header.version === 1 ? [header.target] : header.targets
}

/** Whether a torn line may be that of a header: any other file is not ours to remove. */
function beginsLikeHeader(bytes: Buffer): boolean {
  return [1, 2].some(version => {
    const beginning = `{"kind":"forward","version":${version},`
    return beginning.startsWith(bytes.subarray(0, beginning.length).toString('latin1'))
  })
}

function parse<Schema extends z.core.$ZodType>(schema: Schema, bytes: Buffer): z.output<Schema> | undefined {
  return z.safeParse(schema, parseJson(bytes.toString('utf8'))).data
}
