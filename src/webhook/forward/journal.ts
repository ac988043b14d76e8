import type { Disk } from '../../lib/fs/line-file.ts'
import type { RecordedEvent } from '../log/recorded-event.ts'
import { beginSegment, type JournalSegment, type Place, type StoredTarget } from './segment.ts'

/** An event in a journal that its target is still without. */
export interface JournalEntry {
  /** As it was written. Throws what the system throws. */
  read(): RecordedEvent
  /** Notes, once, that the target has it or is not to get it any more. Never throws. */
  done(): void
}

export interface ForwardJournal {
  /** Writes an event for good: a kill does not lose it. Throws what the system throws. */
  add(event: Pick<RecordedEvent, 'at' | 'headers' | 'body'>): JournalEntry
  /** Notes that could not be written: with --resume the target would get these events once more. */
  readonly unwritten: number
  /** Removes what the target has, closes the rest. Never throws; `add` throws from then on. */
  close(): void
}

export interface JournalOptions {
  readonly target: StoredTarget
  /** Where its next file goes. */
  nextPath(): string
  /** Whether another process works on its files by now: what were added might go with them, unread. */
  isTaken(): boolean
  readonly disk?: Disk | undefined
}

/** Bytes after which a segment is followed by the next: what is done with leaves the disk. */
const segmentSize = 16 * 1024 ** 2

/** The events that wait for a target, in files that go as soon as everything in them is delivered. */
export function createJournal({ target, nextPath, isTaken, disk }: JournalOptions): ForwardJournal {
  const ledgers = new Set<JournalLedger>()
  let current: JournalLedger | undefined
  let closed = false

  const begin = () => {
    const segment = beginSegment(nextPath(), target, disk)
    const ledger = createLedger(segment, () => ledgers.delete(ledger))
    ledgers.add(ledger)
    return ledger
  }
  return {
    add(event) {
      if (closed) throw new Error('the journal is closed')
      if (isTaken()) throw new Error('another process took the files over')
      // Somebody emptied the folder: what is written to a file without a name is kept nowhere.
      if (current?.exists() === false) {
        current.seal()
        current = undefined
      }
      current ??= begin()
      const entry = current.add(event)
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
export interface JournalLedger {
  add(event: Pick<RecordedEvent, 'at' | 'headers' | 'body'>): JournalEntry
  /** An event that stands in the segment already. */
  entry(place: Place): JournalEntry
  isFull(): boolean
  /** Whether its file has a name still. */
  exists(): boolean
  /** Nothing is added any more: it is removed once nothing in it waits. */
  seal(): void
  readonly unwritten: number
  /** Writes the notes that could not be written before, if that can be done now. Never throws. */
  close(): void
}

export function createLedger(segment: JournalSegment, removed: () => void): JournalLedger {
  const unwritten: number[] = []
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
      for (const number of unwritten) {
        segment.done(number)
        written++
      }
    } catch {
      // Tried again with the next one.
    }
    unwritten.splice(0, written)
  }
  const entry = (place: Place): JournalEntry => {
    waiting++
    return {
      read: () => segment.read(place),
      done() {
        waiting--
        if (closed) return
        unwritten.push(place.number)
        write()
        settle()
      },
    }
  }
  return {
    add: event => entry(segment.add(event)),
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
