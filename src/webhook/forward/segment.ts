import { rmSync } from 'node:fs'
import * as z from 'zod/mini'
import { type Disk, type LineFile, openLineFile } from '../../lib/fs/line-file.ts'
import { splitLines } from '../../lib/fs/split-lines.ts'
import { parseLine, type RecordedEvent, toLine } from '../log/recorded-event.ts'

/** Where an event stands in a segment. */
export interface Place {
  /** Which event of the segment it is, from 0. */
  readonly number: number
  /** Bytes. */
  readonly offset: number
  readonly length: number
}

/** One file of a journal: events that were accepted for a target, and which of them it has. */
export interface JournalSegment {
  /** Bytes. */
  size(): number
  /** Whether it has a name still. */
  exists(): boolean
  /** Writes an event. Throws what the system throws; nothing of it is there then. */
  add(event: Pick<RecordedEvent, 'at' | 'headers' | 'body'>): Place
  /** Notes that the target has an event, or is not to get it. Throws as `add`. */
  done(number: number): void
  /** An event as it was written. Throws what the system throws, and when it is there no more. */
  read(place: Place): RecordedEvent
  close(): void
  /**
   * Closes and removes it, unless another process wrote to it too, which only seemed dead: whoever opens it next reads that.
   * Throws what the system throws.
   */
  remove(): void
}

/** Begins a segment that is kept for this target. Throws what the system throws. */
export function beginSegment(path: string, target: StoredTarget, disk?: Disk): JournalSegment {
  const file = openLineFile(path, disk)
  try {
    file.append(lineOf({ kind: 'forward', version: 1, target } satisfies Header))
  } catch (error) {
    // On a full disk each event begins one anew.
    file.close()
    rmSync(path, { force: true })
    throw error
  }
  return segmentOf(path, file)
}

/** Opens one that another process left. Throws what the system throws. */
export function reopenSegment(path: string, disk?: Disk): JournalSegment {
  return segmentOf(path, openLineFile(path, disk))
}

function segmentOf(path: string, file: LineFile): JournalSegment {
  let events = 0
  let size = file.size()
  let isShared = false
  const append = (line: Buffer) => {
    isShared ||= file.size() !== size
    try {
      return file.append(line)
    } finally {
      size = file.size()
    }
  }
  return {
    size: file.size,
    exists: file.exists,
    add(event) {
      const line = Buffer.from(toLine(event))
      const offset = append(line)
      return { number: events++, offset, length: line.length }
    },
    done(number) {
      append(lineOf({ kind: 'done', event: number } satisfies Done))
    },
    read({ offset, length }) {
      const event = parseLine(file.read(offset, length - 1))
      if (event === undefined) throw new Error(`${path} was changed by somebody else`)
      return event
    },
    close: file.close,
    remove() {
      isShared ||= file.size() !== size
      file.close()
      if (!isShared) rmSync(path, { force: true })
    },
  }
}

export interface SegmentContent {
  /** Absent where not even that was written whole: the file holds nothing then. */
  readonly target: StoredTarget | undefined
  /** The events that it is without, in the order of their arrival. */
  readonly lacking: readonly Place[]
}

/**
 * What a segment says, read to its end; undefined for a file that is none of a version that we know. A line that was written in
 * part is passed over: nobody was answered for it. One that lacks its newline alone is whole, as it is to `LineFile.append`.
 * @throws CliError `usage` for an event of a later version.
 */
export async function readSegment(chunks: AsyncIterable<Buffer>): Promise<SegmentContent | undefined> {
  const lacking = new Map<number, Place>()
  let target: StoredTarget | undefined
  let events = 0
  let offset = 0
  for await (const { bytes, ended } of splitLines(chunks, Number.POSITIVE_INFINITY)) {
    if (bytes === undefined) break
    const place = { number: events, offset, length: bytes.length + 1 }
    offset += place.length
    if (target === undefined) {
      target = parse(headerSchema, bytes)?.target
      if (target === undefined && !ended && beginsLikeHeader(bytes)) break
      if (target === undefined) return undefined
    } else if (parseLine(bytes) !== undefined) {
      lacking.set(events++, place)
    } else {
      const done = parse(doneSchema, bytes)
      if (done !== undefined) lacking.delete(done.event)
    }
  }
  return { target, lacking: [...lacking.values()] }
}

const targetSchema = z.object({
  /** Tells targets apart, and no secret of their address. */
  key: z.string(),
  /** The type of the events that it gets; null for all. */
  type: z.nullable(z.string()),
  /** Without its query. */
  address: z.string(),
})
export type StoredTarget = z.infer<typeof targetSchema>

const headerSchema = z.object({
  kind: z.literal('forward'),
  version: z.literal(1),
  target: targetSchema,
})
type Header = z.infer<typeof headerSchema>

/** Whether a torn line may be that of a header: whatever else it is, it is not ours to remove. */
function beginsLikeHeader(bytes: Buffer): boolean {
  const beginning = '{"kind":"forward","version":1,'
  return beginning.startsWith(bytes.subarray(0, beginning.length).toString('latin1'))
}

const doneSchema = z.object({
  kind: z.literal('done'),
  event: z.int(),
})
type Done = z.infer<typeof doneSchema>

function lineOf(value: object): Buffer {
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
