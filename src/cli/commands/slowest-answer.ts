import { type SlowestAnswer, toCallFacts } from '../../calls/report/index.ts'
import type { CallKey, CallTranscript } from '../../events/conversation/index.ts'
import { type RecordingItem, readRecordedCalls } from '../../events/recordings/index.ts'
import { duration, secondsText } from '../../lib/text/date-time.ts'

export type AnsweredCalls = Awaited<ReturnType<typeof readAnsweredCalls>>

/** Reads the calls of a recording, or those in `only`. `slowestOf` finds the slowest answer of one of them. */
export async function readAnsweredCalls(
  recording: AsyncIterable<RecordingItem>,
  only?: ReadonlySet<CallKey>,
) {
  const { calls, ...rest } = await readRecordedCalls(recording, { only })
  const callOf = new Map(calls.map(call => [call.transcript, call]))
  return {
    transcripts: { calls: [...callOf.keys()], ...rest },
    slowestOf(transcript: CallTranscript): SlowestAnswer | null {
      const call = callOf.get(transcript)
      return call === undefined ? null : toCallFacts(call, 0, { parts: timed }).slowest
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
