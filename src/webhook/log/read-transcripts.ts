import { type CallBuilder, createCallBuilder } from '../conversation/call-builder.ts'
import type { CallTranscript } from '../conversation/call-transcript.ts'
import type { CallKey } from '../conversation/changes.ts'
import { createSummaryCounter } from '../conversation/summary-counter.ts'
import { parseEvent } from '../receive/read-event.ts'
import type { RecordingItem, SkippedLine } from './recorded-event.ts'

export interface Transcripts {
  /** In the order of their first event. */
  readonly calls: readonly CallTranscript[]
  /** Lines of the recording that are no events. */
  readonly skipped: readonly SkippedLine[]
  /** Recorded events whose body is no JSON object. */
  readonly unreadable: number
  /** Whether calls went on at once whose events do not name them: they are told apart by what is said. */
  readonly isDoubtful: boolean
}

/**
 * The calls of a recording by the same fold that `webhook tail` prints: each message once, in the order in which they
 * were first told, with the text that won; statuses once, with the time of their arrival.
 */
export async function readTranscripts(recording: AsyncIterable<RecordingItem>): Promise<Transcripts> {
  // A recording is shown whole, so nothing of a call may be forgotten.
  const counter = createSummaryCounter({
    maxCalls: Number.POSITIVE_INFINITY,
    maxBytes: Number.POSITIVE_INFINITY,
  })
  const calls = new Map<CallKey, CallBuilder>()
  const skipped: SkippedLine[] = []
  let unreadable = 0
  let isDoubtful = false
  for await (const item of recording) {
    if (item.kind === 'skipped') {
      if (skipped.length < maxSkipped || item.torn) skipped.push(item)
      continue
    }
    const event = parseEvent(item.body)
    if (typeof event === 'string') {
      unreadable += 1
      continue
    }
    const taken = counter.take(event)
    const { key, origin, doubt } = taken
    isDoubtful ||= doubt
    const call = calls.get(key) ?? createCallBuilder(origin, item.at, { maxUnread })
    call.add({ ...taken, at: item.at })
    calls.set(key, call)
  }
  return { calls: [...calls.values()].map(call => call.transcript()), skipped, unreadable, isDoubtful }
}

/** Parts of a call that are shown as they came. */
const maxUnread = 100
/** More are not told one by one. */
const maxSkipped = 1000
