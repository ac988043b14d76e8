import type { CallsReport } from '../../../calls/report/document/index.ts'
import type { CallFacts } from '../../../calls/report/index.ts'
import { count } from '../../../lib/text/count.ts'
import { shortIds } from '../../../lib/text/did-you-mean.ts'
import { elementMarkup, htmlPage, type Markup, markup, nothing } from '../../../lib/text/markup.ts'
import { h } from '../../../lib/text/virtual-node.ts'
import { callDetails } from './call-lanes.ts'
import { drawSection } from './sections.ts'
import type { ReportView, ShownVerdict } from './view.ts'

/** Calls whose lanes a page has: more would make it too large to open. */
const maxCalls = 500

interface PageOptions {
  /** CSS of lanes and sections. */
  readonly style: string
  commandFor(call: CallFacts): string | undefined
}

/**
 * Formats a report as one page without scripts and external resources. Each chart has a table behind it, and each call opens to its lanes:
 * those with problems first.
 */
export function reportPage(
  view: ReportView,
  report: CallsReport,
  { style, commandFor }: PageOptions,
): string {
  const { title, subtitle, notes, verdicts, sections } = view
  const problems = new Map(report.problems.map(({ call, problems: callProblems }) => [call, callProblems]))
  const ranked = [...problems.keys(), ...report.calls.filter(call => !problems.has(call))]
  const visibleCalls = ranked.slice(0, maxCalls)
  const ids = new Map(visibleCalls.map((call, index) => [call, `call-${index + 1}`]))
  const linkTo = (call: CallFacts, words: string) => {
    const id = ids.get(call)
    return id === undefined ? undefined : h('a', { href: `#${id}` }, words)
  }
  const left = ranked.length - visibleCalls.length
  const names = shortIds(report.calls.map(({ call }) => call))
  const detailsOf = (call: CallFacts) =>
    callDetails(
      {
        ...{ call, name: names.get(call.call) ?? call.call, problems: problems.get(call) ?? [] },
        command: commandFor(call),
      },
      ids.get(call) ?? '',
    )
  return htmlPage({
    title: `Report: ${title}`,
    style: style + pageStyle,
    body: markup`<h1>${title}</h1>
<p class="faint">${subtitle}</p>
${notes.map(note => markup`<p class="faint">${note}</p>\n`)}${verdictsMarkup(verdicts)}
${sections.map(section => elementMarkup(drawSection(section, linkTo)))}
<section aria-labelledby="calls"><h2 id="calls">Calls, problems first</h2>
${visibleCalls.map(detailsOf)}${
  left === 0
    ? nothing
    : markup`<p class="faint">… and ${count(left, 'more call')}. To list all calls, use --format csv.</p>`
}</section>`,
  })
}

const verdictWords = { holds: 'fails', passes: 'passes', 'no-data': 'no data' } as const

function verdictsMarkup(verdicts: readonly ShownVerdict[]): Markup {
  if (verdicts.length === 0) return nothing
  return markup`<section aria-labelledby="conditions"><h2 id="conditions">Conditions</h2>
<ul class="verdicts">
${verdicts.map(({ state, text, actual }) => markup`<li><strong class="${state}">${verdictWords[state]}</strong> <code>${text}</code> ${actual}</li>\n`)}</ul></section>
`
}

/** Style of a report. Its colors have a contrast of at least 4.5 to 1. */
const pageStyle = `
:root { --soft: #f3f3f7; --good: #1a7f37; --problem: #b3261e; --unsure: #7a5200; --tool: #8a3ea8 }
@media (prefers-color-scheme: dark) {
  :root { --soft: #1e1e23; --good: #5fd07f; --problem: #ff8a80; --unsure: #f0c060; --tool: #d79bf0 }
}
@media not print { main { max-width: 64rem } }
.faint, .time { color: var(--faint); font-size: .875rem }
p.faint { margin: .25rem 0 }
.verdicts, .turns { list-style: none; padding: 0; margin: .5rem 0 }
code { font-size: .875rem }
summary { cursor: pointer }
.verdicts .holds, .problems { color: var(--problem) }
.verdicts .passes { color: var(--good) }
.verdicts .no-data { color: var(--unsure) }
.call { border-top: 1px solid var(--line); padding: .5rem 0; margin: 0 }
.call > div { padding: .5rem 0 }
.desk span { display: inline-block; max-width: 20rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom }
.turns li { padding: .125rem 0 }
.turns li:target { outline: 2px solid var(--assistant) }
@media (max-width: 40rem) {
  .call .desk { display: none }
}
@media print {
  :root { --soft: #eee; --caller: #666; --assistant: #444; --tool: #999; --problem: #000; --good: #000; --unsure: #000 }
  .call { break-inside: avoid }
  .desk span { display: inline; white-space: normal }
  .problems::before { content: "· " }
}
`
