import { buildReport } from '../../../calls/report/document/index.ts'
import type { CallFacts } from '../../../calls/report/index.ts'
import { localTimeZone } from '../../../lib/text/date-time.ts'
import { h, type VNode } from '../../../lib/text/virtual-node.ts'
import { drawSection } from './sections.ts'
import { viewReport } from './view.ts'

/** Items of a list. */
const maxItems = 10

/** Draws the figures of calls for a page. A button whose `data-call` is what `linkOf` returns leads to a call. */
export function drawFigures(
  calls: readonly CallFacts[],
  linkOf: (call: CallFacts) => string,
): readonly VNode[] {
  if (calls.length === 0) return [h('p', { class: 'note' }, 'No calls yet.')]
  const { title, subtitle, notes, sections } = viewReport(buildReport({ calls }), {
    ...{ sources: [], comparedWith: [], maxItems },
    timeZone: localTimeZone(),
    commandFor: () => undefined,
  })
  const linkTo = (call: CallFacts, words: string) =>
    h('button', { type: 'button', class: 'link', 'data-call': linkOf(call) }, words)
  return [
    ...[`${title} · ${subtitle}`, ...notes].map(words => h('p', { class: 'faint' }, words)),
    ...sections.map(section => drawSection(section, linkTo)),
  ]
}
