import { dirname } from 'node:path'
import type { CallKey, RecordedCall } from '../../../events/conversation/index.ts'
import {
  type CallChoice,
  isRereadable,
  type RecordedCalls,
  readCallKeys,
  readRecordedCalls,
  readRecording,
  selectCalls,
} from '../../../events/recordings/index.ts'
import { makeFolder } from '../../../lib/fs/make-folder.ts'
import { assertWritable, isStream } from '../../../lib/fs/private-file.ts'
import { cannotWrite } from '../../../lib/fs/replace-file.ts'
import { type ReplayableCall, redactCalls } from '../../../scenario/record/index.ts'
import type { Context } from '../../shell/context.ts'
import { warnOfSkipped } from '../webhook/choose-calls.ts'
import { doubtText } from '../webhook/print-events.ts'
import { recordingAt } from '../webhook/recorded-source.ts'
import type { RedactOptions } from './redact-flags.ts'

/**
 * Reads the calls of a recording; `-` is stdin. Warns about skipped parts. Keeps only the selected calls of a file that can be read
 * twice, if the selection is unambiguous.
 */
export async function openRecording(
  file: string,
  context: Context,
  choice: CallChoice = {},
): Promise<readonly RecordedCall[]> {
  const source = recordingAt(file, context)
  const only = (await isRereadable(source)) ? await selectCalls(readRecording(source), choice) : undefined
  const recording = await readRecordedCalls(readRecording(source), { only, maxUnread })
  warnOf(recording, context)
  return recording.calls
}

/** Tests need none of the unread parts, which are as large as the events. */
const maxUnread = 0

/**
 * Calls in memory at a time. The recording is read once per group: at most 8 groups keep the time linear in its size, at the cost of
 * memory beyond 12,000 calls.
 */
export function callsPerGroup(calls: number): number {
  return Math.max(1500, Math.ceil(calls / 8))
}

/** A recorded call, and the recording of its first event. */
export type OpenedCall = RecordedCall & { readonly file: string }

/**
 * Yields the calls of recordings in groups, to bound memory: one may hold 1,000,000 events. Files are read as one recording, because
 * calls may continue in the next. `isWhole`: one group.
 */
export async function* openRecordingsInGroups(
  files: readonly string[],
  context: Context,
  { isWhole = false } = {},
): AsyncGenerator<readonly OpenedCall[], undefined> {
  const areRereadable = await Promise.all(
    files.map(async file => file !== '-' && (await isRereadable(context.resolve(file)))),
  )
  if (isWhole || areRereadable.includes(false)) return void (yield await readGroup(files, undefined, context))
  const keys = await readCallKeys(readFiles(files, context))
  const size = callsPerGroup(keys.length)
  for (let start = 0; start === 0 || start < keys.length; start += size) {
    const only = new Set(keys.slice(start, start + size))
    // No variable: it would keep one group alive while the next is read.
    yield await readGroup(files, only, context, start > 0)
  }
}

async function readGroup(
  files: readonly string[],
  only: ReadonlySet<CallKey> | undefined,
  context: Context,
  isContinued = false,
): Promise<readonly OpenedCall[]> {
  const fileOfCall = new Map<CallKey, string>()
  let current = ''
  const items = readFiles(files, context, file => {
    current = file
  })
  const onCall = (key: CallKey) => fileOfCall.set(key, current)
  const recording = await readRecordedCalls(items, { only, maxUnread, onCall })
  if (!isContinued) warnOf(recording, context)
  return recording.calls.map(call => ({ ...call, file: fileOfCall.get(call.key) ?? '' }))
}

async function* readFiles(files: readonly string[], context: Context, onFile?: (file: string) => void) {
  for (const file of files) {
    onFile?.(file)
    yield* readRecording(recordingAt(file, context))
  }
}

function warnOf(recording: RecordedCalls, context: Context): void {
  warnOfSkipped(recording, context)
  if (recording.isDoubtful) context.output.warn(...doubtText)
}

export function isRedacted({ redact, redactAlso }: RedactOptions): boolean {
  return redact === true || redactAlso !== undefined
}

export function redactedCourses(
  courses: readonly ReplayableCall[],
  options: RedactOptions,
): readonly ReplayableCall[] {
  return isRedacted(options) ? redactCalls(courses, options.redactAlso) : courses
}

/** Before a person is asked. The folder of the file is made. */
export async function assertNew(
  file: string,
  options: { readonly force: boolean },
  context: Context,
): Promise<void> {
  if (isStream(context.resolve(file))) return
  await makeFolder(dirname(context.resolve(file))).catch(error => {
    throw cannotWrite(file, error)
  })
  await assertWritable(file, options, context)
}
