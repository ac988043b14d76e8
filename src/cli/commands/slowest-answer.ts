import { type SlowestAnswer, toCallFacts } from '../../calls/report/index.ts'
import { type CallKey, type CallTranscript, getCallKey } from '../../events/conversation/index.ts'
import { type RecordingItem, readTranscripts } from '../../events/recordings/index.ts'
import { duration, secondsText } from '../../lib/text/date-time.ts'
import { type CallCollector, createCallCollector } from '../../scenario/record/index.ts'

export type AnsweredCalls = Awaited<ReturnType<typeof readAnsweredCalls>>

/** Reads the calls of a recording, or those in `only`. `slowestOf` finds the slowest answer of one of them. */
export async function readAnsweredCalls(
  recording: AsyncIterable<RecordingItem>,
  only?: ReadonlySet<CallKey>,
) {
  const notes = new Map<CallKey, CallCollector>()
  const transcripts = await readTranscripts(recording, {
    only,
    onEvent(event) {
      const ofCall = notes.get(event.key) ?? createCallCollector()
      notes.set(event.key, ofCall)
      ofCall.add(event)
    },
  })
  return {
    transcripts,
    slowestOf(transcript: CallTranscript): SlowestAnswer | null {
      const { callId, conversation } = transcript
      const ofCall = notes.get(getCallKey({ callId, ...(conversation !== null && { conversation }) }))
      const facts = (ofCall ?? createCallCollector()).all()
      return toCallFacts({ transcript, ...facts }, 0, { parts: timed }).slowest
    },
  }
}

const timed = new Set(['timeline', 'answers'] as const)

export type SlowestFact = readonly [label: string, value: string]

/** Formats the slowest answer as the label and the value of a fact; undefined if there is none. */
export function slowestFact(slowest: SlowestAnswer | null): SlowestFact | undefined {
  if (slowest === null) return undefined
  const { kind, ms, at, after } = slowest
  return [kind, `${secondsText(ms)} at ${duration(at)}, the slowest, after “${after}”`]
}
