import { join } from 'node:path'
import type { Disk } from '../recording/line-file.ts'
import type { RecordedEvent } from '../recording/recorded-event.ts'
import { beginSegment, type Place, type Segment, type StoredTarget } from './segment.ts'

/** An event in a journal that some targets are still without. */
export interface Entry {
  /** As it was written. Throws what the system throws. */
  read(): RecordedEvent
  /** Notes that the target with this key has it, or is given up; without a key, that no target is to get it. Never throws. */
  done(target?: string): void
}

export interface Journal {
  /** Writes an event that goes to so many targets, for good: a kill does not lose it. Throws what the system throws. */
  add(event: Pick<RecordedEvent, 'at' | 'headers' | 'body'>, targets: number): Entry
  /** Notes that could not be written: with --resume their targets would get these events once more. */
  readonly unwritten: number
  /** Removes what no target is without, closes the rest. Never throws; `add` throws from then on. */
  close(): void
}

export interface JournalOptions {
  readonly folder: string
  /** What the names of its files begin with. */
  readonly name: string
  readonly targets: readonly StoredTarget[]
  readonly disk?: Disk | undefined
}

/** Bytes after which a segment is followed by the next: what is done with leaves the disk. */
const segmentSize = 16 * 1024 ** 2

/** The events that wait for their targets, in files that go as soon as everything in them is delivered. */
export function createJournal({ folder, name, targets, disk }: JournalOptions): Journal {
  const ledgers = new Set<Ledger>()
  let files = 0
  let current: Ledger | undefined
  let closed = false

  const begin = () => {
    files++
    const segment = beginSegment(join(folder, `${name}.${files}.ndjson`), targets, disk)
    const ledger = createLedger(segment, () => ledgers.delete(ledger))
    ledgers.add(ledger)
    return ledger
  }
  return {
    add(event, wanted) {
      if (closed) throw new Error('the journal is closed')
      // Somebody emptied the folder: what is written to a file without a name is kept nowhere.
      if (current?.exists() === false) {
        current.seal()
        current = undefined
      }
      current ??= begin()
      const entry = current.add(event, wanted)
      if (current.isFull()) {
        current.seal()
        current = undefined
      }
      return entry
    },
    get unwritten() {
      return [...ledgers].reduce((sum, ledger) => sum + ledger.unwritten, 0)
    },
    close() {
      closed = true
      for (const ledger of ledgers) {
        ledger.seal()
        ledger.close()
      }
    },
  }
}

/** A segment, and how much of it still waits. */
export interface Ledger {
  add(event: Pick<RecordedEvent, 'at' | 'headers' | 'body'>, targets: number): Entry
  /** An event that stands in the segment already. */
  entry(place: Place, targets: number): Entry
  isFull(): boolean
  /** Whether its file has a name still. */
  exists(): boolean
  /** Nothing is added any more: it is removed once nothing in it waits. */
  seal(): void
  readonly unwritten: number
  /** Writes the notes that could not be written before, if that can be done now. Never throws. */
  close(): void
}

export function createLedger(segment: Segment, removed: () => void): Ledger {
  const unwritten: { readonly number: number; readonly target: string | undefined }[] = []
  let waiting = 0
  let sealed = false
  let closed = false

  const settle = () => {
    if (closed || !sealed || waiting > 0) return
    closed = true
    try {
      segment.remove()
    } catch {
      // A file that cannot be removed says that nothing waits.
    }
    removed()
  }
  const write = () => {
    let written = 0
    try {
      for (const mark of unwritten) {
        segment.done(mark.number, mark.target)
        written++
      }
    } catch {
      // Tried again with the next one.
    }
    unwritten.splice(0, written)
  }
  const entry = (place: Place, targets: number): Entry => {
    let left = targets
    waiting++
    return {
      read: () => segment.read(place),
      done(target) {
        if (left === 0) return
        left = target === undefined ? 0 : left - 1
        if (!closed) {
          unwritten.push({ number: place.number, target })
          write()
        }
        if (left > 0) return
        waiting--
        settle()
      },
    }
  }
  return {
    add: (event, targets) => entry(segment.add(event), targets),
    entry,
    isFull: () => segment.size() > segmentSize,
    exists: segment.exists,
    seal() {
      sealed = true
      settle()
    },
    get unwritten() {
      return unwritten.length
    },
    close() {
      if (closed) return
      closed = true
      write()
      segment.close()
    },
  }
}
