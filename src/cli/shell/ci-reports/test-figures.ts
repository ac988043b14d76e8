import { buildReport } from '../../../calls/report/document/index.ts'
import type { CallFacts } from '../../../calls/report/index.ts'
import { count } from '../../../lib/text/count.ts'
import { elementMarkup, type Markup, markup, nothing } from '../../../lib/text/markup.ts'
import { h } from '../../../lib/text/virtual-node.ts'
import type { ObservedCall, TestResult } from '../../../scenario/index.ts'
import { drawLanes } from '../call-figures/call-lanes.ts'
import { drawSection } from '../call-figures/sections.ts'
import { viewReport } from '../call-figures/view.ts'

/** Facts of the calls of tests, and the style of their figures and lanes. */
export interface TestFigures {
  readonly style: string
  readonly facts: ReadonlyMap<ObservedCall, CallFacts>
}

/** Items of a list. */
const maxItems = 10

/** Formats the figures of all calls of the tests. `linkTo` returns the id of the element with a test. */
export function testFiguresSection(
  results: readonly TestResult[],
  { facts }: TestFigures,
  linkTo: (result: TestResult) => string,
): Markup {
  const resultOf = new Map<CallFacts, TestResult>()
  for (const result of results)
    for (const { call } of result.attempts) {
      const callFacts = facts.get(call)
      // A reader knows the test, not the id of its call.
      if (callFacts !== undefined) resultOf.set({ ...callFacts, call: result.test.id }, result)
    }
  const calls = [...resultOf.keys()]
  if (calls.length === 0) return nothing
  const { notes, sections } = viewReport(buildReport({ calls }), {
    ...{ sources: [], comparedWith: [], timeZone: '', maxItems, commandFor: () => undefined },
  })
  const nodes = sections.map(section =>
    drawSection(section, (call, words) => {
      const result = resultOf.get(call)
      return result && h('a', { href: `#${linkTo(result)}` }, words)
    }),
  )
  return markup`<details class="group"><summary><strong>Figures of ${count(calls.length, 'call')}</strong></summary>
${notes.map(note => markup`<p><small>${note}</small></p>\n`)}${nodes.map(elementMarkup)}</details>
`
}

/** Formats who spoke when, tools and silences of a call. */
export function testLanes(call: ObservedCall, figures: TestFigures | undefined): Markup {
  const lanes = figures?.facts.get(call)?.lanes
  // The turns that a segment could lead to are below.
  return lanes === undefined
    ? nothing
    : markup`${drawLanes(lanes, () => ({ role: 'img' })).map(elementMarkup)}\n`
}
