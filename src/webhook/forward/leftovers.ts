import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../context.ts'
import { CliError } from '../../errors.ts'
import { type FileLock, lockFile } from '../../file-lock.ts'
import { callIdOf } from '../conversation-state.ts'
import { readEvent } from '../read-event.ts'
import type { Disk } from '../recording/line-file.ts'
import { createLedger, type Entry, type Ledger } from './journal.ts'
import { readSegment, reopenSegment, type StoredTarget } from './segment.ts'
import { targetsOf } from './targets.ts'

/** An event that was accepted by an earlier process, and not delivered to all of its targets. */
export interface LeftEvent {
  readonly entry: Entry
  /** Keys of the targets that it is for and that are without it; only those of ours. */
  readonly targets: readonly string[]
  readonly type: string
  readonly callId: string | null
  readonly at: string
}

export interface Leftovers {
  /** In the order of their arrival. */
  readonly events: readonly LeftEvent[]
  /** How many events each target is without, ours and others. */
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
export async function openLeftovers({ folder, targets, clock, disk }: Options): Promise<Leftovers> {
  const events: LeftEvent[] = []
  const waiting = new Map<string, { target: StoredTarget; events: number }>()
  const unreadable: string[] = []
  const opened: Ledger[] = []
  const locks: FileLock[] = []

  const openFile = async (path: string) => {
    const content = await readSegment(createReadStream(path))
    if (content === undefined) return void unreadable.push(path)
    const segment = reopenSegment(path, disk)
    const ledger = createLedger(segment, () => {})
    opened.push(ledger)
    for (const { place, targets: lacking } of content.lacking) {
      const { at, body } = segment.read(place)
      const event = readEvent(body)
      if (event === undefined) continue
      const { type } = event.message
      const wanted = targetsOf(
        type,
        content.targets.map(target => ({ ...target, type: target.type ?? undefined })),
      ).filter(({ key }) => lacking.has(key))
      if (wanted.length === 0) continue
      for (const { key, type: only, address } of wanted) {
        const known = waiting.get(key) ?? { target: { key, type: only ?? null, address }, events: 0 }
        waiting.set(key, { ...known, events: known.events + 1 })
      }
      const entry = ledger.entry(place, wanted.length)
      const ours = wanted.flatMap(({ key }) => (targets.has(key) ? [key] : []))
      if (ours.length > 0) events.push({ entry, targets: ours, type, callId: callIdOf(event), at })
    }
    ledger.seal()
  }
  const openRun = async ({ name, files }: Run) => {
    const lock = await lockRun(join(folder, name), clock).catch(error => {
      // Its process lives.
      if (error instanceof CliError && error.kind === 'conflict') return undefined
      throw error
    })
    if (lock === undefined) return
    locks.push(lock)
    for (const file of files) {
      const path = join(folder, file)
      await openFile(path).catch(() => unreadable.push(path))
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
    inUse: () => new CliError('conflict', `another process forwards what is kept at ${path}`),
    cannotLock: error =>
      new CliError('usage', `${path} cannot be locked: ${String(error)}`, {
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
