import { rmSync } from 'node:fs'
import * as z from 'zod/mini'
import { type Disk, type LineFile, openLineFile } from '../../lib/fs/line-file.ts'
import { parseLine, type RecordedEvent, toRecordedLine } from '../recordings/index.ts'

interface EventLogOptions {
  readonly targets: readonly StoredTarget[]
  nextPath(): string
  /** True if another process has taken over the files, so that added events could be removed unread. */
  isTaken(): boolean
  readonly disk?: Disk | undefined
}

export type EventLog = ReturnType<typeof createEventLog>

/** Events that wait for targets, each once, in files that are removed as soon as all targets have everything in them. */
export function createEventLog({ targets, nextPath, isTaken, disk }: EventLogOptions) {
  const files = new Set<LogFile>()
  let current: LogFile | undefined
  let closed = false

  const openFile = () => {
    const file = beginLogFile(nextPath(), targets, { disk, onRemoved: () => files.delete(file) })
    files.add(file)
    return file
  }
  const endCurrent = () => {
    current?.seal()
    current = undefined
  }
  return {
    /** Writes an event for all targets before the response is sent, so that a kill does not lose it. Throws errors of the system. */
    add(event: NewEvent): LogEntry {
      if (closed) throw new Error('the log is closed')
      if (isTaken()) throw new Error('another process took the files over')
      // Another program emptied the folder: what is written to a file without a name is kept nowhere.
      if (current?.exists() === false) endCurrent()
      current ??= openFile()
      const entry = current.add(event, targets.length)
      // The new holder may have read the file before this event.
      if (isTaken()) throw new Error('another process took the files over')
      if (current.isFull()) endCurrent()
      return entry
    },
    /** Deliveries that could not be recorded yet, in all files. */
    get unwritten() {
      return [...files].reduce((sum, file) => sum + file.unwritten, 0)
    },
    /** Removes what all targets have, closes the rest. Never throws; `add` throws from then on. */
    close() {
      closed = true
      for (const file of files) {
        file.seal()
        file.close()
      }
    },
  }
}

export interface EntryRange {
  /** Which event of the file it is, from 0. */
  readonly number: number
  /** Bytes. */
  readonly offset: number
  readonly length: number
}

/** An event in a file, which some targets still lack. */
export interface LogEntry {
  /** Reads the event as written. @throws errors of the file system, also for an event that was removed. */
  read(): RecordedEvent
  /** Moves the cursor of a target: the target has the event, or must not get it. Once for each target. Never throws. */
  done(target: number): void
  /** True if another process has the event now. Default: the same for all events of a log. */
  isTaken?(): boolean | Promise<boolean>
}

export type NewEvent = Omit<RecordedEvent, 'kind' | 'version'>

interface LogFileOptions {
  readonly disk?: Disk | undefined
  onRemoved?(): void
}

/** Begins a file for these targets, 0600. Throws what the system throws. */
export function beginLogFile(
  path: string,
  targets: readonly StoredTarget[],
  options: LogFileOptions = {},
): LogFile {
  const file = openLineFile(path, options.disk)
  try {
    file.append(lineOf({ kind: 'forward', version: 1, targets: [...targets] }))
  } catch (error) {
    // On a full disk each event begins a new file.
    file.close()
    rmSync(path, { force: true })
    throw error
  }
  return logFileOf(path, file, options)
}

/** Opens a file that another process left. Throws what the system throws. */
export function reopenLogFile(path: string, options: LogFileOptions = {}): LogFile {
  return logFileOf(path, openLineFile(path, options.disk), options)
}

const maxFileBytes = 16 * 1024 ** 2

export type LogFile = ReturnType<typeof logFileOf>

/** Events in lines as a recording has them, and for each target a cursor: the events that it has. */
function logFileOf(path: string, file: LineFile, { onRemoved }: LogFileOptions) {
  /** Moves of cursors, in their order. */
  const unwritten: Done[] = []
  let events = 0
  /** Events that targets lack, once for each target. */
  let unfinished = 0
  /** Includes lines written before this process. */
  let size = file.size()
  let isSealed = false
  let closed = false

  const append = (line: Buffer) => {
    const separator = file.torn ? 1 : 0
    const start = file.append(line)
    size += separator + line.length
    return start
  }
  const remove = () => {
    // Another process, which only seemed dead, wrote to the file too: the process that opens it next reads that.
    const isShared = file.size() !== size
    file.close()
    if (!isShared) rmSync(path, { force: true })
  }
  const settle = () => {
    if (closed || !isSealed || unfinished > 0) return
    closed = true
    try {
      remove()
    } catch {
      // A file that cannot be removed says that no target lacks anything.
    }
    onRemoved?.()
  }
  const write = () => {
    let storedCount = 0
    try {
      for (const record of unwritten) {
        append(lineOf(record))
        storedCount++
      }
    } catch {
      // Tried again with the next one.
    }
    unwritten.splice(0, storedCount)
  }
  const read = ({ offset, length }: EntryRange) => {
    const event = parseLine(file.read(offset, length - 1))
    if (event === undefined) throw new Error(`another program changed ${path}`)
    return event
  }
  const entry = (range: EntryRange, targets: number): LogEntry => {
    unfinished += targets
    return {
      read: () => read(range),
      done(target) {
        unfinished--
        if (closed) return
        unwritten.push({ kind: 'done', event: range.number, target })
        write()
        settle()
      },
    }
  }
  return {
    /** Writes an event that this many targets lack, all of the file. Throws what the system throws; nothing of the event is in the file then. */
    add(event: NewEvent, targets: number) {
      const line = Buffer.from(toRecordedLine(event))
      const offset = append(line)
      return entry({ number: events++, offset, length: line.length }, targets)
    },
    /** Counts an event that is already in the file and that this many targets lack. */
    entry,
    /** True if the next event needs another file, so that delivered events can be deleted. */
    isFull: () => size > maxFileBytes,
    /** True if the file still has a name. */
    exists: file.exists,
    /** Nothing is added any more: the file is removed once no target lacks anything in it. */
    seal() {
      isSealed = true
      settle()
    },
    /** Moves of cursors that could not be written: after a restart the target would get these events again. */
    get unwritten() {
      return unwritten.length
    },
    /** Writes what could not be written before, if that is possible now. Never throws. */
    close() {
      if (closed) return
      closed = true
      write()
      file.close()
    },
  }
}

const targetSchema = z.object({
  /** Identifies the target, and shows no secret of its address. */
  key: z.string(),
  /** The type of the events that it gets; null for all. */
  type: z.nullable(z.string()),
  /** Without its query. */
  address: z.string(),
})
export type StoredTarget = z.infer<typeof targetSchema>

export const headerSchema = z.object({
  kind: z.literal('forward'),
  version: z.literal(1),
  targets: z.array(targetSchema),
})

export const doneSchema = z.object({
  kind: z.literal('done'),
  event: z.int(),
  /** Index in the header. */
  target: z.int(),
})
type Done = z.infer<typeof doneSchema>

function lineOf(value: z.infer<typeof headerSchema> | Done): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}
