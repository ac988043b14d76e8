import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import type { Disk } from '../../lib/fs/line-file.ts'
import { parseEvent } from '../receive/read-event.ts'
import { createLedger, type JournalEntry, type JournalLedger } from './journal.ts'
import { readSegment, reopenSegment, type StoredTarget } from './segment.ts'

/** An event for a target of ours that an earlier process accepted and did not deliver. */
export interface LeftEvent {
  readonly entry: JournalEntry
  /** Key of the target. */
  readonly target: string
  /** As of a FileLock: another process works on it by now. */
  lost(): boolean
  readonly type: string
  readonly callId: string | null
  readonly at: string
}

export interface PendingEvents {
  /** In the order of their arrival. */
  readonly events: readonly LeftEvent[]
  /** How many events wait for each target, ours and others. */
  readonly waiting: readonly { readonly target: StoredTarget; readonly events: number }[]
  /** Files that nobody can read. */
  readonly unreadable: readonly string[]
  /** As of a journal. */
  readonly unwritten: number
  /** Leaves them for another process. Never rejects. */
  close(): Promise<void>
}

interface Options {
  readonly folder: string
  /** Keys of our targets. */
  readonly targets: ReadonlySet<string>
  readonly clock: Clock
  readonly disk?: Disk | undefined
}

/**
 * What processes that were ended or killed left in the folder. What a living one still works on is left out; the rest is held
 * until `close`, so that no two deliver it.
 */
export async function openLeftovers({ folder, targets, clock, disk }: Options): Promise<PendingEvents> {
  const events: LeftEvent[] = []
  const waiting = new Map<string, { target: StoredTarget; events: number }>()
  const unreadable: string[] = []
  const opened: JournalLedger[] = []
  const locks: FileLock[] = []

  const openFile = async (path: string, lost: () => boolean) => {
    // Before it is read: what is written to it from now on shows in its size.
    const segment = reopenSegment(path, disk)
    const ledger = createLedger(segment, () => {})
    opened.push(ledger)
    const content = await readSegment(createReadStream(path))
    if (content === undefined) return void unreadable.push(path)
    const { target, lacking } = content
    for (const place of lacking) {
      const { at, body } = segment.read(place)
      const event = parseEvent(body)
      if (target === undefined || typeof event === 'string') continue
      const { key } = target
      const entry = ledger.entry(place)
      waiting.set(key, { target, events: (waiting.get(key)?.events ?? 0) + 1 })
      const { type, callId } = event
      if (targets.has(key)) events.push({ entry, target: key, lost, type, callId, at })
    }
    ledger.seal()
  }
  const openRun = async ({ name, files }: Run) => {
    const lock = await lockRun(join(folder, name), clock).catch(error => {
      // Its process lives.
      if (error instanceof CallwrightError && error.kind === 'conflict') return undefined
      throw error
    })
    if (lock === undefined) return
    locks.push(lock)
    for (const file of files) {
      const path = join(folder, file)
      await openFile(path, lock.isLost).catch(() => unreadable.push(path))
    }
  }
  const close = async () => {
    for (const ledger of opened) ledger.close()
    for (const lock of locks) await lock.release()
  }
  try {
    for (const run of await runsOf(folder)) await openRun(run)
  } catch (error) {
    await close()
    throw error
  }
  return {
    events,
    waiting: [...waiting.values()],
    unreadable,
    get unwritten() {
      return opened.reduce((sum, ledger) => sum + ledger.unwritten, 0)
    },
    close,
  }
}

/** One process works on the files of a name. */
export function lockRun(path: string, clock: Clock): Promise<FileLock> {
  return lockFile(path, {
    clock,
    inUse: () => new CallwrightError('conflict', `another process forwards what is kept at ${path}`),
    cannotLock: error =>
      new CallwrightError('usage', `${path} cannot be locked: ${String(error)}`, {
        hint: 'check the folder, its permissions and the free space',
        cause: error,
      }),
  })
}

interface Run {
  readonly name: string
  readonly files: readonly string[]
}

/**
 * The files of each process, both in the order in which they were begun. One that was killed before its first event left a lock
 * alone, which goes when it is taken and released.
 */
async function runsOf(folder: string): Promise<Run[]> {
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
