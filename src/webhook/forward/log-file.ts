import { rmSync } from 'node:fs'
import * as z from 'zod/mini'
import { type Disk, type LineFile, openLineFile, splitLines } from '../../lib/fs/line-file.ts'
import { parseLine, type RecordedEvent, toRecordedLine } from '../log/recording-file.ts'

/** Where an event stands in a file. */
export interface Place {
  /** Which event of the file it is, from 0. */
  readonly number: number
  /** Bytes. */
  readonly offset: number
  readonly length: number
}

/** An event in a file, which some targets still lack. */
export interface LogEntry {
  /** The event as it was written. Throws what the system throws, and when it is there no more. */
  read(): RecordedEvent
  /** Moves the cursor of a target: the target has the event, or must not get it. Once for each target. Never throws. */
  done(target: number): void
}

export type NewEvent = Pick<RecordedEvent, 'at' | 'headers' | 'body'>

/** Events in lines as a recording has them, and for each target a cursor: the events that it has. */
export interface LogFile {
  /** Writes an event that this many targets lack, all of the file. Throws what the system throws; nothing of the event is in the file then. */
  add(event: NewEvent, targets: number): LogEntry
  /** An event that stands in the file already, and that this many targets lack. */
  entry(place: Place, targets: number): LogEntry
  /** Whether the next event belongs into another file, so that what is delivered leaves the disk. */
  isFull(): boolean
  /** Whether the file still has a name. */
  exists(): boolean
  /** Nothing is added any more: the file is removed once no target lacks anything in it. */
  seal(): void
  /** Moves of cursors that could not be written: after a restart the target would get these events once more. */
  readonly unwritten: number
  /** Writes what could not be written before, if that is possible now. Never throws. */
  close(): void
}

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
    file.append(lineOf({ kind: 'forward', version: 2, targets: [...targets] }))
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

function logFileOf(path: string, file: LineFile, { onRemoved }: LogFileOptions): LogFile {
  /** Moves of cursors, in their order. */
  const unwritten: Done[] = []
  let events = 0
  /** Events that targets lack, once for each target. */
  let lacking = 0
  let size = file.size()
  /** Another process, which only seemed dead, wrote to the file too: whoever opens it next reads that. */
  let isShared = false
  let sealed = false
  let closed = false

  const append = (line: Buffer) => {
    isShared ||= file.size() !== size
    try {
      return file.append(line)
    } finally {
      size = file.size()
    }
  }
  const remove = () => {
    isShared ||= file.size() !== size
    file.close()
    if (!isShared) rmSync(path, { force: true })
  }
  const settle = () => {
    if (closed || !sealed || lacking > 0) return
    closed = true
    try {
      remove()
    } catch {
      // A file that cannot be removed says that no target lacks anything.
    }
    onRemoved?.()
  }
  const write = () => {
    let written = 0
    try {
      for (const done of unwritten) {
        append(lineOf(done))
        written++
      }
    } catch {
      // Tried again with the next one.
    }
    unwritten.splice(0, written)
  }
  const read = ({ offset, length }: Place) => {
    const event = parseLine(file.read(offset, length - 1))
    if (event === undefined) throw new Error(`another program changed ${path}`)
    return event
  }
  const entry = (place: Place, targets: number): LogEntry => {
    lacking += targets
    return {
      read: () => read(place),
      done(target) {
        lacking--
        if (closed) return
        unwritten.push({ kind: 'done', event: place.number, target })
        write()
        settle()
      },
    }
  }
  return {
    add(event, targets) {
      const line = Buffer.from(toRecordedLine(event))
      const offset = append(line)
      return entry({ number: events++, offset, length: line.length }, targets)
    },
    entry,
    isFull: () => file.size() > maxFileBytes,
    exists: file.exists,
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
      file.close()
    },
  }
}

export interface LogContent {
  /** Empty where not even the first line was written whole: the file holds no event then. */
  readonly targets: readonly StoredTarget[]
  /** The events that targets lack, and which targets, in the order of their arrival. */
  readonly lacking: readonly { readonly place: Place; readonly targets: readonly number[] }[]
}

/**
 * What a file says, read to its end; undefined for another file, or one of a version that callwright does not know. A line that was
 * written in part is passed over: its sender was not answered. A line that lacks its newline alone is whole, as it is to `LineFile.append`.
 * @throws CallwrightError `usage` for an event of a later version.
 */
export async function readLogFile(chunks: AsyncIterable<Buffer>): Promise<LogContent | undefined> {
  const lacking = new Map<number, { readonly place: Place; readonly targets: Set<number> }>()
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

const targetSchema = z.object({
  /** Identifies the target, and shows no secret of its address. */
  key: z.string(),
  /** The type of the events that it gets; null for all. */
  type: z.nullable(z.string()),
  /** Without its query. */
  address: z.string(),
})
export type StoredTarget = z.infer<typeof targetSchema>

/** Version 1 had a file for each target. */
const headerSchema = z.union([
  z.object({ kind: z.literal('forward'), version: z.literal(1), target: targetSchema }),
  z.object({ kind: z.literal('forward'), version: z.literal(2), targets: z.array(targetSchema) }),
])

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

const doneSchema = z.object({
  kind: z.literal('done'),
  event: z.int(),
  /** Its place in the header; absent in version 1. */
  target: z._default(z.int(), 0),
})
type Done = z.infer<typeof doneSchema>

function lineOf(value: z.infer<typeof headerSchema> | Done): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function parse<Schema extends z.core.$ZodType>(schema: Schema, bytes: Buffer): z.output<Schema> | undefined {
  try {
    const parsed = z.safeParse(schema, JSON.parse(bytes.toString('utf8')))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
