import { csvDocument } from '../../lib/text/csv.ts'
import { duration, wholeSeconds } from '../../lib/text/date-time.ts'
import { shortIds } from '../../lib/text/did-you-mean.ts'
import { type Markup, markdownTable, markup } from '../../lib/text/markup.ts'
import { table } from '../../lib/text/table.ts'
import type { Text } from '../../lib/text/text.ts'
import { type CallTranscript, callName } from '../conversation/index.ts'
import { getOutcome, type OutcomeWords } from '../conversation/read-outcome.ts'
import { formatSuccess, getCallDuration, getCallStart } from './call-words.ts'

export interface OverviewRow {
  readonly call: string
  readonly number: string | null
  readonly name: string | null
  /** ISO 8601 in UTC, with seconds. */
  readonly when: string
  /** In milliseconds; null for a call without an end. */
  readonly durationMs: number | null
  readonly messages: number
  readonly outcome: string
  /** Success evaluation; empty if there is none. */
  readonly success: string
}

export function summarizeCalls(calls: readonly CallTranscript[], words?: OutcomeWords): OverviewRow[] {
  return calls.map(call => ({
    call: callName(call),
    number: call.userNumber,
    name: call.customerName,
    when: `${new Date(getCallStart(call)).toISOString().slice(0, 19)}Z`,
    durationMs: getCallDuration(call),
    messages: call.messages.length,
    outcome: getOutcome(call, words) ?? 'no end recorded',
    success: formatSuccess(call.analysis),
  }))
}

type Column = readonly [heading: string, cell: (row: OverviewRow) => string]

const columns: readonly Column[] = [
  ['Who', ({ number, name }) => [number, name].filter(part => part !== null).join(' ') || 'unknown'],
  ['When (UTC)', ({ when }) => when.slice(0, 16).replace('T', ' ')],
  ['Duration', ({ durationMs }) => (durationMs === null ? '' : duration(durationMs))],
  ['Messages', ({ messages }) => String(messages)],
  ['Outcome', row => row.outcome],
  ['Success', row => row.success],
]

function addCallColumn(rows: readonly OverviewRow[]): readonly Column[] {
  const ids = shortIds(rows.map(({ call }) => call))
  return [...columns, ['Call', ({ call }) => ids.get(call) ?? call]]
}

const minWidths: Readonly<Record<string, number>> = {
  Who: '+12025550123'.length,
  'When (UTC)': '2026-11-23 10:00'.length,
  Outcome: 'no end recorded'.length,
  Call: 'CC-66ec90c7'.length,
}

/** Formats a table of at most `width` columns. Narrow terminals lose the call id first. */
export function overviewText(rows: readonly OverviewRow[], width: number): Text {
  const tableColumns = addCallColumn(rows).map(([heading, cell], index) => ({
    heading,
    cell,
    min: minWidths[heading] ?? heading.length,
    ...(heading === 'Messages' && { leaveOut: 1 }),
    ...(index === columns.length && { leaveOut: 2 }),
  }))
  return table(rows, tableColumns, width)
}

export function overviewMarkdown(rows: readonly OverviewRow[]): string {
  const shownColumns = addCallColumn(rows)
  return markdownTable(
    shownColumns.map(([heading]) => heading),
    rows.map(row => shownColumns.map(([, cell]) => cell(row))),
  )
}

/** The first cell of each row links to its call below. */
export function overviewMarkup(rows: readonly OverviewRow[]): Markup {
  const shownColumns = addCallColumn(rows)
  const [who, ...rest] = shownColumns
  return markup`<div class="wide"><table>
<thead><tr>${shownColumns.map(([heading]) => markup`<th scope="col" class="${heading.toLowerCase()}">${keepTogether(heading)}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (row, index) =>
    markup`<tr><th scope="row"><a href="#call-${String(index + 1)}">${who?.[1](row) ?? row.call}</a></th>${rest.map(
      ([heading, cell]) => markup`<td class="${heading.toLowerCase()}">${keepTogether(cell(row))}</td>`,
    )}</tr>
`,
)}</tbody>
</table></div>`
}

/** Breaks lines only between words: not at the hyphens of a date or a short id. */
function keepTogether(words: string): Markup[] {
  return words
    .split(/(\S*-\S*)/)
    .map(part =>
      part.includes('-') && part.length <= 20 ? markup`<span class="whole">${part}</span>` : markup`${part}`,
    )
}

/** Formats CSV with durations in seconds, for spreadsheets. */
export function overviewCsv(rows: readonly OverviewRow[]): string {
  return csvDocument([
    ['call', 'number', 'name', 'when', 'duration_seconds', 'messages', 'outcome', 'success'],
    ...rows.map(({ call, number, name, when, durationMs, messages, outcome, success }) => [
      call,
      number ?? '',
      name ?? '',
      when,
      durationMs === null ? '' : String(wholeSeconds(durationMs)),
      String(messages),
      outcome,
      success,
    ]),
  ])
}
