import { stat } from 'node:fs/promises'
import { CallyardError } from '../../lib/error.ts'
import { splitChunks } from '../../lib/fs/line-file.ts'
import { assertFile, openFile } from '../../lib/fs/read-file.ts'
import {
  type AppliedEvent,
  type CallBuilder,
  type CallKey,
  createCallBuilder,
  createConversationTracker,
  getCallKey,
} from '../conversation/index.ts'
import { cannotRead, readChunks, readFileChunks } from './recording-chunks.ts'
import {
  beginsLikeRecorded,
  parseLine,
  type RecordingItem,
  recordedEvents,
  rotatedFiles,
  type SkippedLine,
} from './recording-file.ts'

/** A recording that is not a file: its bytes as they arrive, and a display name. */
export interface RecordingStream {
  readonly name: string
  readonly bytes: AsyncIterable<Buffer>
}

/**
 * Reads a recording of any size, line by line, also one that gzip compressed: first the files that `--rotate` closed, oldest first, then
 * the file itself. Lines that are not events, or are longer than `maxLineBytes`, are yielded as `skipped`; empty lines are ignored. With
 * `start`, the file is read from the line at that offset on; from its beginning if no line begins there, because it was replaced.
 * @throws CallyardError `usage` when it cannot be read, is not a recording, or has an unsupported version.
 */
export async function* readRecording(
  recording: string | RecordingStream,
  options?: ReadRecordingOptions,
): AsyncGenerator<RecordingItem, undefined> {
  for await (const items of readRecordingParts(recording, options)) yield* items
}

/** Reads a recording as `readRecording` does, and yields the items of each part that was read from the disk. */
export async function* readRecordingParts(
  recording: string | RecordingStream,
  { maxLineBytes = 256 * 1024 ** 2, start = 0 }: ReadRecordingOptions = {},
): AsyncGenerator<readonly RecordingItem[], undefined> {
  const path = typeof recording === 'string' ? recording : recording.name
  const parts =
    typeof recording === 'string'
      ? await partsOf(recording, start)
      : [{ file: recording.name, chunks: readChunks(recording.name, recording.bytes) }]
  // Until the first event it may be no recording at all: then one error says so, and no line is reported.
  const doubtful: SkippedLine[] = []
  let hasEvents = false
  let foreign = false

  for (const { file, chunks } of parts) {
    for await (const lines of splitChunks(chunks, maxLineBytes)) {
      const items: RecordingItem[] = []
      try {
        for (const { number, bytes, ended } of lines) {
          if (bytes !== undefined && isBlank(bytes)) continue
          const event = bytes === undefined ? undefined : parseLine(bytes, file, number)
          if (event !== undefined) {
            hasEvents = true
            items.push(...doubtful.splice(0), event)
            continue
          }
          const skipped: SkippedLine = { kind: 'skipped', file, line: number, torn: !ended }
          if (hasEvents) items.push(skipped)
          else doubtful.push(skipped)
          if (bytes === undefined || !beginsLikeRecorded(bytes)) foreign = true
          if (doubtful.length >= maxUnrecognized) throw notARecording(path)
        }
      } finally {
        // Lines before an error are read anyway.
        if (items.length > 0) yield items
      }
    }
  }
  if (!hasEvents && foreign) throw notARecording(path)
  yield doubtful
}

interface ReadRecordingOptions {
  readonly maxLineBytes?: number
  readonly start?: number
}

/** True if a recording can be read more than once. A pipe of the shell, such as `<(…)`, is empty after the first read. */
export async function isRereadable(recording: string | RecordingStream): Promise<boolean> {
  if (typeof recording !== 'string') return false
  // A missing file may have rotated ones; readRecording reports other errors.
  const status = await stat(recording).catch(() => undefined)
  return status === undefined || status.isFile()
}

/** Broken lines with which a recording may begin. */
const maxUnrecognized = 1000

async function filesOf(path: string): Promise<string[]> {
  try {
    const rotated = rotatedFiles(path).map(file => file.path)
    const newest = await findNewest(path)
    // A recording that was killed in the middle of a rotation has no newest file.
    if (newest === undefined && rotated.length > 0) return rotated
    assertFile(path, newest?.status ?? (await stat(path)))
    return [...rotated, newest?.file ?? path]
  } catch (error) {
    throw cannotRead(path, error)
  }
}

/** Finds the file, or what gzip has replaced it with. */
async function findNewest(path: string) {
  for (const file of [path, `${path}.gz`]) {
    const status = await stat(file).catch(() => undefined)
    if (status !== undefined) return { file, status }
  }
  return undefined
}

async function partsOf(path: string, start: number) {
  if (await beginsLine(path, start)) return [{ file: path, chunks: readFileChunks(path, start) }]
  return (await filesOf(path)).map(file => ({ file, chunks: readFileChunks(file) }))
}

/** True if a line begins at an offset of a file other than its beginning. */
async function beginsLine(file: string, offset: number): Promise<boolean> {
  if (offset === 0) return false
  const { handle } = await openFile(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, offset - 1)
    return bytesRead === 1 && buffer.toString() === '\n'
  } finally {
    await handle.close()
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length < 100 && bytes.toString('latin1').trim() === '')
}

const notARecording = (path: string) =>
  new CallyardError(
    'invalid',
    `${path} is not a recording: expected lines of JSON, or lines of JSON compressed with gzip`,
    { code: 'not-a-recording', hint: 'record the events of a call', details: { path } },
  )

export type RecordedCalls = Awaited<ReturnType<typeof readRecordedCalls>>

/**
 * The calls of a recording by the same fold that `webhook tail` prints: each message once, in the order in which they first arrived,
 * with the text that won; statuses once, with the time of their arrival. Memory grows with the number of distinct messages.
 */
export async function readRecordedCalls(
  recording: AsyncIterable<RecordingItem>,
  { only, maxUnread = defaultMaxUnread, onCall }: ReadCallsOptions = {},
) {
  const calls = new Map<CallKey, CallBuilder>()
  const rest = await foldRecording(recording, {
    only,
    onEvent(appliedEvent, at) {
      const { key, origin } = appliedEvent
      let builder = calls.get(key)
      if (builder === undefined) {
        builder = createCallBuilder(origin, at, { maxUnread, withDetails: true })
        calls.set(key, builder)
        onCall?.(key)
      }
      builder.add({ ...appliedEvent, at })
    },
  })
  return {
    /** In the order of their first event. */
    calls: Array.from(calls, ([key, builder]) => ({ key, ...builder.recorded() })),
    ...rest,
  }
}

interface CallSelection {
  /** Calls to read; default: all. */
  readonly only?: ReadonlySet<CallKey> | undefined
}

interface ReadCallsOptions extends CallSelection {
  /** Raw parts kept per call; default: 100. */
  readonly maxUnread?: number
  /** Called at the first event of each call. */
  onCall?(key: CallKey): void
}

const defaultMaxUnread = 100

interface FoldOptions extends CallSelection {
  /** Takes each event of these calls, what is new of it, and when it arrived. */
  onEvent(appliedEvent: AppliedEvent, at: string): void
}

/** Reads the events of a recording, or of its parts, in order, and what is new of each. */
export async function foldRecording(
  recording: AsyncIterable<RecordingItem | readonly RecordingItem[]>,
  { only, onEvent }: FoldOptions,
) {
  // A recording is shown whole, so nothing of a call may be forgotten.
  const counter = createConversationTracker({
    maxCalls: Number.POSITIVE_INFINITY,
    maxBytes: Number.POSITIVE_INFINITY,
  })
  const skipped: SkippedLine[] = []
  let unreadable = 0
  let isDoubtful = false
  const takeItem = (item: RecordingItem) => {
    if (item.kind === 'skipped') {
      if (skipped.length < maxSkipped || item.torn) skipped.push(item)
      return
    }
    const events = recordedEvents(item)
    if (events.length === 0) unreadable += 1
    for (const event of events) {
      const assignment = counter.assign(event)
      isDoubtful ||= assignment.isDoubtful
      if (only?.has(getCallKey(assignment.origin)) !== false)
        onEvent(counter.apply(event, assignment), item.at)
    }
  }
  for await (const part of recording) {
    if ('kind' in part) takeItem(part)
    else for (const item of part) takeItem(item)
  }
  return {
    /** Lines of the recording that are not events. */
    skipped,
    /** Recorded bodies without an event. */
    unreadable,
    /** True if calls without id overlapped, so that only their messages tell them apart. */
    isDoubtful,
  }
}

/** Further ones are only counted. */
const maxSkipped = 1000
