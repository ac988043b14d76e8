import { recordedEventsOf } from '../../calls/place/index.ts'
import { type CallFacts, type FactsOptions, readFacts } from '../../calls/report/index.ts'
import type { RecordingItem } from '../../events/recordings/index.ts'

/** Reads the facts of a call from its record in a sandbox; undefined if it has none. */
export async function readRecordFacts(
  record: Readonly<Record<string, unknown>>,
  options: FactsOptions = {},
): Promise<CallFacts | undefined> {
  async function* read(): AsyncGenerator<RecordingItem> {
    yield* recordedEventsOf(record)
  }
  const { calls } = await readFacts([{ read, isRereadable: true }], options)
  return calls[0]
}
