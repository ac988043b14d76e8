import { createReadStream, rmSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { parseLine } from '../events/recordings/index.ts'
import { type Disk, openLineFile, splitLines } from '../lib/fs/line-file.ts'
import { readSmallFile } from '../lib/fs/read-file.ts'
import { parseJson } from '../lib/json.ts'

/** The last message of a segment in the stream. If it is still there, so is everything before it. */
const storedSchema = z.object({ sequence: z.int(), id: z.string(), lines: z.int() })

export interface StoredMessage {
  readonly sequence: number
  readonly id: string
}

export type SpoolSegment = ReturnType<typeof openSegment>

interface SegmentOptions {
  readonly number: number
  /** Monotonic milliseconds. */
  readonly openedAt: number
  readonly disk?: Disk | undefined
}

/** Position of an event in its segment. */
export interface LineRange {
  /** From 0. */
  readonly index: number
  readonly offset: number
  /** Without the newline. */
  readonly length: number
}

/**
 * Opens a file of the spool: lines of a recording, which JetStream has acknowledged or not. Lines are added in groups, each with one
 * sync. @throws errors of the system
 */
export function openSegment(path: string, { number, openedAt, disk }: SegmentOptions) {
  const file = openLineFile(path, disk)
  const lines: LineRange[] = []
  /** Generation in which each line was acknowledged last; 0 in an earlier process, -1 for never, -2 if the stream lost it since. */
  const acknowledged: number[] = []
  let everAcknowledged = 0
  /** Lines that were acknowledged, and that the stream has not lost since. */
  let stillAcknowledged = 0
  /** Lines that were acknowledged in the latest generation. */
  let latest = { generation: 0, count: 0 }
  const earlier = readStored(path)
  let stored: StoredMessage | undefined = earlier && { sequence: earlier.sequence, id: earlier.id }
  let saved = stored
  let bytes = file.size()
  /** Uptime of the broker, in milliseconds, when the last line was acknowledged. */
  let completedAt: number | undefined
  /** Time of the last first acknowledgment; in an earlier process it is unknown. */
  let acknowledgedAt = Number.NEGATIVE_INFINITY

  return {
    number,
    openedAt,
    path,
    lines,
    get bytes() {
      return bytes
    },
    /** Events that JetStream has never acknowledged. */
    get unpublished() {
      return lines.length - everAcknowledged
    },
    /** Events that JetStream has acknowledged and may have lost. */
    get lost() {
      return everAcknowledged - stillAcknowledged
    },
    get stored() {
      return stored
    },
    get completedAt() {
      return completedAt
    },
    get acknowledgedAt() {
      return acknowledgedAt
    },
    /** Appends whole lines and syncs them, or appends nothing. Returns their positions. @throws errors of the system */
    async append(added: readonly Buffer[]): Promise<readonly LineRange[]> {
      let offset = bytes
      await file.appendSynced(Buffer.concat(added))
      const ranges = added.map((line, index) => {
        const range = { index: lines.length + index, offset, length: line.length - 1 }
        offset += line.length
        return range
      })
      lines.push(...ranges)
      acknowledged.push(...ranges.map(() => -1))
      bytes = offset
      completedAt = undefined
      return ranges
    },
    /** Reads the lines that an earlier process left. A torn last line was never acknowledged to its sender. */
    async load() {
      let offset = 0
      for await (const { bytes: line, ended } of splitLines(
        createReadStream(path),
        Number.POSITIVE_INFINITY,
      )) {
        const length = line?.length ?? 0
        if (line !== undefined && (ended || parseLine(line) !== undefined) && length > 0) {
          lines.push({ index: lines.length, offset, length })
          acknowledged.push(lines.length > (earlier?.lines ?? 0) ? -1 : 0)
        }
        offset += length + 1
      }
      everAcknowledged = acknowledged.filter(mark => mark === 0).length
      stillAcknowledged = everAcknowledged
      if (everAcknowledged === lines.length) completedAt = 0
    },
    /** Returns the event of a line; undefined if it cannot be read, as after a partial write. */
    read: ({ offset, length }: LineRange) => parseLine(file.read(offset, length)),
    /** Notes an acknowledgment. Returns true if it is the first one. */
    acknowledge(index: number, { generation, now, uptime, message }: Acknowledgment): boolean {
      const before = acknowledged[index] ?? -1
      const isFirst = before === -1
      acknowledged[index] = generation
      if (latest.generation !== generation) latest = { generation, count: 0 }
      if (before < generation) latest.count++
      if (message !== undefined && (stored === undefined || message.sequence > stored.sequence))
        stored = message
      if (before >= 0) return false
      stillAcknowledged++
      if (stillAcknowledged === lines.length) completedAt = uptime
      if (!isFirst) return false
      everAcknowledged++
      acknowledgedAt = now
      return true
    },
    /** Forgets what was acknowledged, because the stream may have lost it. */
    invalidate() {
      stored = undefined
      completedAt = undefined
      stillAcknowledged = 0
      acknowledged.forEach((mark, index) => {
        if (mark >= 0) acknowledged[index] = -2
      })
    },
    /** Acknowledges again what was acknowledged before, because the stream still has it. */
    renew(generation: number) {
      latest = { generation, count: 0 }
      acknowledged.forEach((mark, index) => {
        if (mark < 0) return
        acknowledged[index] = generation
        latest.count++
      })
    },
    isAcknowledged: (index: number, generation: number) => (acknowledged[index] ?? 0) >= generation,
    /** True if each line was acknowledged since the last trouble of the broker. */
    isComplete: (generation: number) =>
      lines.length === 0 || (latest.generation === generation && latest.count === lines.length),
    /** Saves which message of the stream is the last one of the segment, for the next process. */
    async saveStored() {
      if (stored === saved || stored === undefined || stillAcknowledged < lines.length) return
      await writeFile(storedPath(path), JSON.stringify({ ...stored, lines: lines.length }), { mode: 0o600 })
      saved = stored
    },
    close: file.close,
    remove() {
      file.close()
      rmSync(path, { force: true })
      rmSync(storedPath(path), { force: true })
    },
  }
}

/** Opens the segments that an earlier process left, oldest first; empty ones are removed. @throws errors of the system */
export async function loadSegments(
  folder: string,
  openedAt: number,
  disk: Disk | undefined,
): Promise<SpoolSegment[]> {
  const segments: SpoolSegment[] = []
  for (const name of (await readdir(folder)).sort()) {
    const [, number] = /^(\d{9})\.ndjson$/.exec(name) ?? []
    if (number === undefined) continue
    const segment = openSegment(join(folder, name), { number: Number(number), openedAt, disk })
    await segment.load()
    if (segment.lines.length === 0) segment.remove()
    else segments.push(segment)
  }
  return segments
}

interface Acknowledgment {
  readonly generation: number
  /** Monotonic milliseconds. */
  readonly now: number
  /** Milliseconds that the broker has been connected. */
  readonly uptime: number
  readonly message: StoredMessage | undefined
}

function storedPath(path: string): string {
  return path.replace(/\.ndjson$/, '.stored.json')
}

function readStored(path: string): z.infer<typeof storedSchema> | undefined {
  try {
    return storedSchema.safeParse(parseJson(readSmallFile(storedPath(path)).toString())).data
  } catch {
    return undefined
  }
}
