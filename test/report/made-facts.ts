import { unrecordedFacts } from '../../src/report/call-facts.ts'
import type { CallFacts } from '../../src/report/index.ts'

/** Facts of a call with these replies and this outcome. */
export function factsOf(call: string, facts: Partial<CallFacts> = {}): CallFacts {
  return { ...unrecordedFacts, call, source: 0, at: Date.UTC(2026, 2, 1, 10), outcome: 'answered', ...facts }
}
