import type { CallUpdate } from '../../../src/calls/outcomes/index.ts'
import type { CallOutcome } from '../../../src/interface/words.ts'

/** A call as a test scripts it. */
export interface ScriptedCall {
  readonly outcome: CallOutcome
  /** Default: 60. */
  readonly seconds?: number
  /** Words of the person. */
  readonly says?: string
  readonly analysis?: Readonly<Record<string, unknown>>
  /** No event of the call arrives. */
  readonly isSilent?: boolean
  /** The response to the request is lost. */
  readonly isLost?: boolean
  /** The service rejects the request. */
  readonly isRejected?: boolean
}

export const answered: ScriptedCall = { outcome: 'answered' }

/** Updates of a call that the service accepted at a time, without silence. */
export function updatesOf(
  { to, from, at }: { readonly to: string; readonly from: string; readonly at: number },
  callId: string,
  { outcome, seconds = 60, says, analysis }: ScriptedCall,
): readonly CallUpdate[] {
  const base = {
    ...{ callId, userNumber: to, assistantNumber: from },
    ...{ last: null, userLines: [], ended: undefined },
  }
  const endsAt = at + seconds * 1000
  const fullAnalysis = callbackOn(analysis, endsAt)
  const userLines = says === undefined ? [] : [says]
  return [
    { ...base, at: at + 1000, phase: 'ringing' },
    ...(userLines.length > 0 ? [{ ...base, at: endsAt - 1, phase: 'talking' as const, userLines }] : []),
    {
      ...base,
      at: endsAt,
      phase: 'ended',
      ended: { outcome, seconds, endedBy: 'user', analysis: fullAnalysis ?? null, words: [outcome] },
    },
  ]
}

/** An analysis whose callback is `+2 days` after a time, at 11:15. */
function callbackOn(analysis: ScriptedCall['analysis'], at: number): ScriptedCall['analysis'] {
  const { callbackAt } = (analysis?.structuredData ?? {}) as { readonly callbackAt?: unknown }
  const [, days] = /^\+(\d+) days$/.exec(String(callbackAt)) ?? []
  if (days === undefined) return analysis
  const day = new Date(at + Number(days) * 86_400_000).toISOString().slice(0, 10)
  return { structuredData: { callbackAt: `${day}T11:15` } }
}
