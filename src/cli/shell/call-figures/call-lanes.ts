import type { CallFacts, CallLanes } from '../../../calls/report/index.ts'
import { callProblemTitles } from '../../../calls/report/index.ts'
import { buildLegend, drawTimeline } from '../../../events/transcript/index.ts'
import { duration, secondsText } from '../../../lib/text/date-time.ts'
import { elementMarkup, type Markup, markup, nothing } from '../../../lib/text/markup.ts'
import { h, type VNode } from '../../../lib/text/virtual-node.ts'

interface ShownCall {
  readonly call: CallFacts
  /** Short form of its id. */
  readonly name: string
  readonly problems: readonly (keyof typeof callProblemTitles)[]
  readonly command: string | undefined
}

/** Formats a call that opens to its lanes: who spoke when, tools and silences. `id` is the target of links to it. */
export function callDetails({ call, name, problems, command }: ShownCall, id: string): Markup {
  const { lanes, outcome, durationMs, assistant } = call
  const facts = [outcome ?? 'not ended', durationMs === null ? null : duration(durationMs)].filter(
    fact => fact !== null,
  )
  return markup`<details class="call"><summary><strong>${name}</strong> ${assistant === null ? nothing : markup`<span class="desk"><span>${assistant}</span> · </span>`}<span>${facts.join(' · ')}</span>${
    problems.length === 0
      ? nothing
      : markup` <span class="problems">${problems.map(problem => callProblemTitles[problem]).join(', ')}</span>`
  }</summary>
<div id="${id}">
${lanes === undefined ? markup`<p>This call has no messages with a timestamp.</p>` : lanesMarkup(lanes, id)}
${command === undefined ? nothing : markup`<p><code>${command}</code></p>`}
</div></details>
`
}

function lanesMarkup(lanes: CallLanes, id: string): Markup {
  const { timeline, items, answers } = lanes
  const turns = timeline.segments.flatMap(({ lane, index, from, until, interrupted, failed }) => {
    const item = index === undefined ? undefined : items[index]
    if (item === undefined || index === undefined) return []
    const waited = lane === 'assistant' ? answers.get(from) : undefined
    const marks = [
      waited !== undefined && `answer after ${secondsText(waited)}`,
      interrupted === true && 'interrupted',
      failed === true && 'failed',
    ].filter(mark => mark !== false)
    return [
      markup`<li id="${id}-${String(index)}"><span class="time">${duration(from)}–${duration(until)}</span> <strong>${item.who}</strong>${marks.length === 0 ? nothing : markup` <em>${marks.join(', ')}</em>`} <span lang="" dir="auto">${item.text}</span></li>\n`,
    ]
  })
  return markup`${drawLanes(lanes, index => ({ href: `#${id}-${index}` })).map(elementMarkup)}
<ol class="turns">
${turns}</ol>`
}

/** Draws the lanes of a call with their legend. `linkTo` returns the attributes that link a segment to its turn. */
export function drawLanes(
  { timeline, items }: CallLanes,
  linkTo: (index: number) => Readonly<Record<string, string>>,
): VNode[] {
  const nameOf = (index: number) => `${items[index]?.who ?? ''}: ${items[index]?.text ?? ''}`
  const legend = buildLegend(timeline).map(({ lane, words }) => h('span', { class: lane }, words))
  return [drawTimeline(timeline, { nameOf, linkTo }), h('p', { class: 'timeline-legend' }, ...legend)]
}
