import {
  type RecordingItem,
  readRecordedCalls,
  readRecording,
  toRecordedLine,
} from '../../src/events/recordings/index.ts'

interface RecordedLineOptions {
  readonly seconds?: number
  readonly headers?: Record<string, string>
}

/** A line of a recording as `webhook tail --record` writes it; `seconds` after 2026-03-01T10:00:00Z. */
export function recordedLine(
  body: unknown,
  { seconds = 0, headers = { 'content-type': 'application/json' } }: RecordedLineOptions = {},
): string {
  const at = new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1000).toISOString()
  return toRecordedLine({ at, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
}

/** Text of a recording with these bodies, one second apart. */
export function recordingFile(...bodies: readonly unknown[]): string {
  return bodies.map((body, seconds) => recordedLine(body, { seconds })).join('')
}

/** Items of the same recording, as a reader returns them. */
export function recorded(...bodies: readonly unknown[]): RecordingItem[] {
  return bodies.map((body, seconds) => JSON.parse(recordedLine(body, { seconds })))
}

export async function* stream(items: readonly RecordingItem[]): AsyncGenerator<RecordingItem> {
  yield* items
}

/** Items of a recording on disk. */
export async function readAll(path: string, maxLineBytes?: number, start?: number): Promise<RecordingItem[]> {
  const items: RecordingItem[] = []
  const options = {
    ...(maxLineBytes !== undefined && { maxLineBytes }),
    ...(start !== undefined && { start }),
  }
  for await (const item of readRecording(path, options)) items.push(item)
  return items
}

/** Bodies of a recording on disk. */
export async function bodiesOf(path: string): Promise<string[]> {
  return (await readAll(path)).flatMap(item => (item.kind === 'recorded' ? [item.body] : []))
}

/** Reads the transcripts of a recording, without the details of its calls. */
export async function readTranscripts(...recording: Parameters<typeof readRecordedCalls>) {
  const { calls, ...rest } = await readRecordedCalls(...recording)
  return { calls: calls.map(({ transcript }) => transcript), ...rest }
}
