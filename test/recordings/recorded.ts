import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readRecording } from '../../src/recordings/read-recording.ts'
import { type RecordingItem, toRecordedLine } from '../../src/recordings/recording-file.ts'

/** A line of a recording as `webhook tail --record` writes it; `seconds` after ten o'clock. */
export function recordedLine(
  body: unknown,
  { seconds = 0, headers = { 'content-type': 'application/json' } }: RecordedLineOptions = {},
): string {
  const at = new Date(Date.UTC(2026, 2, 1, 10) + seconds * 1000).toISOString()
  return toRecordedLine({ at, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
}

interface RecordedLineOptions {
  readonly seconds?: number
  readonly headers?: Record<string, string>
}

/** An empty folder, removed with the test. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callyard-recording-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function readAll(path: string, maxLineBytes?: number, start?: number): Promise<RecordingItem[]> {
  const items: RecordingItem[] = []
  const options = {
    ...(maxLineBytes !== undefined && { maxLineBytes }),
    ...(start !== undefined && { start }),
  }
  for await (const item of readRecording(path, options)) items.push(item)
  return items
}

/** The bodies of what is recorded. */
export async function bodiesOf(path: string): Promise<string[]> {
  return (await readAll(path)).flatMap(item => (item.kind === 'recorded' ? [item.body] : []))
}
