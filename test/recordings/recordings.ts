import type { RecordingItem } from '../../src/recordings/recording-file.ts'

/** Events as lines of a recording, one second apart from 2026-03-01T10:00:00Z. */
export function recorded(...events: readonly unknown[]): RecordingItem[] {
  return events.map((event, index) => ({
    kind: 'recorded',
    version: 1,
    at: new Date(Date.parse('2026-03-01T10:00:00.000Z') + index * 1000).toISOString(),
    headers: { 'content-type': 'application/json' },
    body: typeof event === 'string' ? event : JSON.stringify(event),
  }))
}

/** The same as the file that `webhook tail --record` writes. */
export function recordingFile(...events: readonly unknown[]): string {
  return recorded(...events)
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')
}

export async function* stream(items: readonly RecordingItem[]): AsyncGenerator<RecordingItem> {
  yield* items
}
