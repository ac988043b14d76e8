import type { CallFacts } from '../../../calls/report/index.ts'
import { loadTimelineStyle } from '../../../events/transcript/index.ts'
import type { ObservedCall, TestResult } from '../../../scenario/index.ts'
import { loadSectionsStyle } from '../../shell/call-figures/sections.ts'
import type { TestFigures } from '../../shell/ci-reports/test-figures.ts'
import { readRecordFacts } from '../record-facts.ts'

/** Reads the facts of the calls of tests, as a report of their events has them. */
export async function readTestFigures(results: readonly TestResult[]): Promise<TestFigures> {
  const options = { withLanes: true }
  const facts = new Map<ObservedCall, CallFacts>()
  for (const { call } of results.flatMap(({ attempts }) => attempts)) {
    const callFacts = await readRecordFacts({ ...call.record }, options)
    if (callFacts !== undefined) facts.set(call, callFacts)
  }
  return { facts, style: (await loadTimelineStyle()) + (await loadSectionsStyle()) }
}
