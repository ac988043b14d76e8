import { count } from '../../lib/text/count.ts'
import { shortIds } from '../../lib/text/did-you-mean.ts'
import { htmlPage, type Markup, markup, nothing } from '../../lib/text/markup.ts'
import type { CallFacts, CallsReport } from '../../report/index.ts'
import { callDetails } from './call-lanes.ts'
import { shareBar, shareWords, spreadChart } from './charts.ts'
import { pageStyle } from './page-style.ts'
import { formatInterval, formatPercent, formatValue } from './values.ts'
import type { ListItem, ReportSection, ReportView, ShareRow, ShownVerdict, SpreadRow } from './view.ts'

/** Calls whose lanes a page has: more would make it too large to open. */
const maxCalls = 500

interface PageOptions {
  /** CSS of the lanes. */
  readonly laneStyle: string
  commandFor(call: CallFacts): string | undefined
}

/**
 * Formats a report as one page without scripts and external resources. Each chart has a table behind it, and each call opens to its lanes:
 * those with problems first.
 */
export function reportPage(
  view: ReportView,
  report: CallsReport,
  { laneStyle, commandFor }: PageOptions,
): string {
  const { title, subtitle, notes, verdicts, sections } = view
  const problems = new Map(report.problems.map(({ call, problems: found }) => [call, found]))
  const ranked = [...problems.keys(), ...report.calls.filter(call => !problems.has(call))]
  const shown = ranked.slice(0, maxCalls)
  const ids = new Map(shown.map((call, index) => [call, `call-${index + 1}`]))
  const left = ranked.length - shown.length
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
    style: laneStyle + pageStyle,
    body: markup`<h1>${title}</h1>
<p class="faint">${subtitle}</p>
${notes.map(note => markup`<p class="faint">${note}</p>\n`)}${verdictsMarkup(verdicts)}
${sections.map(section => sectionMarkup(section, ids))}
<section aria-labelledby="calls"><h2 id="calls">Calls, those with problems first</h2>
${shown.map(detailsOf)}${
  left === 0
    ? nothing
    : markup`<p class="faint">… and ${count(left, 'more call')}; a CSV report has all of them.</p>`
}</section>`,
  })
}

const verdictWords = { holds: 'fails', passes: 'passes', 'no-data': 'no data' } as const

function verdictsMarkup(verdicts: readonly ShownVerdict[]): Markup {
  if (verdicts.length === 0) return nothing
  return markup`<section aria-labelledby="conditions"><h2 id="conditions">Conditions</h2>
<ul class="verdicts">
${verdicts.map(({ state, text, found }) => markup`<li><strong class="${state}">${verdictWords[state]}</strong> <code>${text}</code> ${found}</li>\n`)}</ul></section>
`
}

function sectionMarkup(section: ReportSection, ids: ReadonlyMap<CallFacts, string>): Markup {
  const { kind, title } = section
  const content =
    kind === 'shares'
      ? sharesMarkup(title, section.rows)
      : kind === 'spreads'
        ? spreadsMarkup(title, section.rows)
        : kind === 'table'
          ? markup`${section.rows.length === 0 ? nothing : tableMarkup(title, section.heads, section.rows)}${section.note === undefined ? nothing : markup`<p class="faint">${section.note}</p>`}`
          : listMarkup(section.items, section.more, ids)
  return markup`<section><h2>${title}</h2>
${content}</section>
`
}

function sharesMarkup(title: string, rows: readonly ShareRow[]): Markup {
  return markup`<ul class="bars">
${rows.map(row => markup`<li><span dir="auto">${row.label}</span>${shareBar(row)}<span class="figure">${shareWords(row)}</span></li>\n`)}</ul>
${behind(
  tableMarkup(
    title,
    ['', 'count', 'of', 'share', 'within'],
    rows.map(({ label, count: hits, of, share, interval }) => [
      label,
      String(hits),
      String(of),
      formatPercent(share),
      interval,
    ]),
  ),
)}`
}

function spreadsMarkup(title: string, rows: readonly SpreadRow[]): Markup {
  return markup`<div class="spreads">
${rows.map(({ label, figure }) => markup`<figure>${spreadChart(label, figure)}<figcaption dir="auto">${label}</figcaption></figure>\n`)}</div>
${behind(
  tableMarkup(
    title,
    ['', 'of', 'min', 'p50', 'within', 'p90', 'p95', 'within', 'max'],
    rows.map(({ label, figure }) => {
      const { unit, count: of, intervals } = figure
      return [
        label,
        String(of),
        ...[figure.min, figure.p50].map(value => formatValue(value, unit)),
        formatInterval(intervals.p50, unit, of),
        ...[figure.p90, figure.p95].map(value => formatValue(value, unit)),
        formatInterval(intervals.p95, unit, of),
        formatValue(figure.max, unit),
      ]
    }),
  ),
)}`
}

function behind(table: Markup): Markup {
  return markup`<details><summary>Table</summary>${table}</details>
`
}

function tableMarkup(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): Markup {
  const head = (words: string) => (words === '' ? markup`<td></td>` : markup`<th scope="col">${words}</th>`)
  return markup`<div class="wide"><table aria-label="${title}">
<thead><tr>${heads.map(head)}</tr></thead>
<tbody>
${rows.map(([first = '', ...cells]) => markup`<tr><th scope="row" dir="auto">${first}</th>${cells.map((cell, index) => markup`<td dir="auto" data-head="${heads[index + 1] ?? ''}">${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>
`
}

function listMarkup(items: readonly ListItem[], more: number, ids: ReadonlyMap<CallFacts, string>): Markup {
  const lead = ({ lead: words, call }: ListItem) => {
    const id = call && ids.get(call)
    return id === undefined ? markup`${words}` : markup`<a href="#${id}">${words}</a>`
  }
  return markup`<ul class="list">
${items.map(item => markup`<li><strong>${lead(item)}</strong> <span dir="auto">${item.text}</span>${item.command === undefined ? nothing : markup`<br><code>${item.command}</code>`}</li>\n`)}</ul>
${more === 0 ? nothing : markup`<p class="faint">… and ${String(more)} more</p>`}`
}
