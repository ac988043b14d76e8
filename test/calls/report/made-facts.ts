import { type CallFacts, toUnrecordedFacts } from '../../../src/calls/report/index.ts'

/** Facts of a call with these replies and this outcome. */
export function factsOf(call: string, facts: Partial<CallFacts> = {}): CallFacts {
  const unknown = { outcome: '', seconds: null, endedBy: null, analysis: null, isOptedOut: null }
  const callFields = { call, source: 0, at: Date.UTC(2026, 2, 1, 10), from: null, to: null, assistant: null }
  return { ...toUnrecordedFacts({ ...unknown, ...callFields }), outcome: 'answered', ...facts }
}
