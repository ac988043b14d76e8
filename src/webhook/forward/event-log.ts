import type { Disk } from '../../lib/fs/line-file.ts'
import { beginLogFile, type LogEntry, type LogFile, type NewEvent, type StoredTarget } from './log-file.ts'

/** Events that wait for targets, each once, in files that are removed as soon as all targets have everything in them. */
export interface EventLog {
  /** Writes an event for all targets, before its sender is answered: a kill does not lose it. Throws what the system throws. */
  add(event: NewEvent): LogEntry
  /** As of its files. */
  readonly unwritten: number
  /** Removes what all targets have, closes the rest. Never throws; `add` throws from then on. */
  close(): void
}

export interface EventLogOptions {
  readonly targets: readonly StoredTarget[]
  /** Where its next file goes. */
  nextPath(): string
  /** Whether another process works on its files by now: what is added might go with them, unread. */
  isTaken(): boolean
  readonly disk?: Disk | undefined
}

export function createEventLog({ targets, nextPath, isTaken, disk }: EventLogOptions): EventLog {
  const files = new Set<LogFile>()
  let current: LogFile | undefined
  let closed = false

  const begin = () => {
    const file = beginLogFile(nextPath(), targets, { disk, onRemoved: () => files.delete(file) })
    files.add(file)
    return file
  }
  const endCurrent = () => {
    current?.seal()
    current = undefined
  }
  return {
    add(event) {
      if (closed) throw new Error('the log is closed')
      if (isTaken()) throw new Error('another process took the files over')
      // Another program emptied the folder: what is written to a file without a name is kept nowhere.
      if (current?.exists() === false) endCurrent()
      current ??= begin()
      const entry = current.add(event, targets.length)
      if (current.isFull()) endCurrent()
      return entry
    },
    get unwritten() {
      return [...files].reduce((sum, file) => sum + file.unwritten, 0)
    },
    close() {
      closed = true
      for (const file of files) {
        file.seal()
        file.close()
      }
    },
  }
}
