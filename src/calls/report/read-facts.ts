import type { CallKey } from '../../events/conversation/index.ts'
import { foldRecording, type RecordingItem } from '../../events/recordings/index.ts'
import type { CallFacts, FactsOptions } from './call-facts.ts'
import { createFactsCollector, type FactsCollector } from './collect-facts.ts'

/** A source of recorded events. Its events follow those of the source before it: a call may have events in several. */
export interface RecordedSource {
  /** Reads the events from the beginning. */
  read(): AsyncIterable<RecordingItem | readonly RecordingItem[]>
  /** False for a pipe, which can be read once. */
  readonly isRereadable: boolean
}

interface ReadFactsOptions extends FactsOptions {
  /** Ended calls that are kept whole; default: 1,000. */
  readonly maxEnded?: number
}

/**
 * Reads the facts of all calls of recordings, in the order of their first event. The messages of calls in progress and of the last ended
 * ones are in memory; calls with events long after their end are read a second time.
 */
export async function readFacts(
  sources: readonly RecordedSource[],
  { maxEnded = 1000, ...options }: ReadFactsOptions,
) {
  const canReread = sources.every(({ isRereadable }) => isRereadable)
  const collector = createFactsCollector({ ...options, ...(canReread && { maxEnded }) })
  const rest = await readAll(sources, collector)
  const facts = new Map(collector.all())
  if (collector.stale.size > 0) {
    const again = createFactsCollector(options)
    await readAll(sources, again, collector.stale)
    for (const [key, callFacts] of again.all()) facts.set(key, callFacts)
  }
  return { ...rest, calls: [...facts.values()] as readonly CallFacts[] }
}

function readAll(sources: readonly RecordedSource[], { add }: FactsCollector, only?: ReadonlySet<CallKey>) {
  let source = 0
  async function* items() {
    for (const [index, recordedSource] of sources.entries()) {
      source = index
      yield* recordedSource.read()
    }
  }
  return foldRecording(items(), { only, onEvent: (appliedEvent, at) => add(appliedEvent, at, source) })
}
