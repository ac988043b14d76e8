import { type CallOutcome, callOutcomes } from '../../interface/words.ts'
import { parseEndedBy } from '../../scenario/record/index.ts'
import {
  type CallFacts,
  type CallIdentity,
  formatEndedBy,
  readAnalysis,
  unrecordedFacts,
} from './call-facts.ts'

/** A call that is known from a log or a journal, not from its events. */
export interface UnrecordedCall extends CallIdentity {
  /** Outcome; other words, such as `placed`, mean that it is unknown. */
  readonly outcome: string
  readonly seconds: number | null
  readonly endedBy: string | null
  readonly analysis: Readonly<Record<string, unknown>> | null
  readonly isOptedOut: boolean | null
}

/** Returns the facts of a call whose events were not recorded. */
export function toUnrecordedFacts({
  outcome: word,
  seconds,
  endedBy,
  analysis,
  ...call
}: UnrecordedCall): CallFacts {
  const outcome: CallOutcome | null = callOutcomes.find(candidate => candidate === word) ?? null
  const by = formatEndedBy(parseEndedBy(endedBy ?? undefined, outcome), endedBy)
  return {
    ...unrecordedFacts,
    ...call,
    ...readAnalysis(analysis),
    outcome,
    endedBy: outcome === null ? null : by,
    durationMs: outcome === null || seconds === null ? null : Math.round(seconds * 1000),
    isTransferred: outcome === null ? null : outcome === 'forwarded' || by === 'forward',
  }
}
