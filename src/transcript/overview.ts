import { csvDocument } from '../lib/text/csv.ts'
import { duration } from '../lib/text/date-time.ts'
import { inMarkdown, type Markup, markup } from '../lib/text/markup.ts'
import { table } from '../lib/text/table.ts'
import type { Text } from '../lib/text/text.ts'
import { type CallTranscript, callName } from '../webhook/index.ts'
import { successOf, timesOf } from './call-table.ts'
import { beginOf, callLength, unansweredCall, unansweredReasons } from './call-words.ts'

/** One row of the table that a document of several calls begins with. */
export interface OverviewRow {
  readonly call: string
  /** Of the user. */
  readonly number: string | null
  readonly name: string | null
  /** ISO 8601, seconds, UTC. */
  readonly when: string
  /** Milliseconds; null for a call without an end. */
  readonly durationMs: number | null
  readonly outcome: string
}

/** Who was called, when, for how long, and how it ended. */
export function overviewOf(calls: readonly CallTranscript[]): OverviewRow[] {
  return calls.map(call => ({
    call: callName(call),
    number: call.userNumber,
    name: call.customerName,
    when: `${new Date(beginOf(timesOf(call))).toISOString().slice(0, 19)}Z`,
    durationMs: call.ended ? callLength(timesOf(call)) : null,
    outcome: outcomeOf(call),
  }))
}

function outcomeOf(call: CallTranscript): string {
  const unanswered = unansweredCall(call)
  if (unanswered !== undefined) return `not answered: ${unansweredReasons[unanswered]}`
  const success = successOf(call)
  return `${call.ended ? 'answered' : 'no end recorded'}${success === '' ? '' : `, success: ${success}`}`
}

const columns: readonly (readonly [heading: string, cell: (row: OverviewRow) => string])[] = [
  ['Call', row => row.call],
  ['Who', ({ number, name }) => [number, name].filter(part => part !== null).join(' ') || '?'],
  ['When', ({ when }) => when.replace('T', ' ').replace('Z', ' UTC')],
  ['Duration', ({ durationMs }) => (durationMs === null ? '' : duration(durationMs))],
  ['Outcome', row => row.outcome],
]

export function overviewText(rows: readonly OverviewRow[], width: number): Text {
  const shown = columns.map(([heading, cell]) => ({ heading, cell, min: 8 }))
  const [call, ...rest] = shown
  return table(rows, call === undefined ? rest : [{ ...call, leaveOut: 1 }, ...rest], width)
}

export function overviewMarkdown(rows: readonly OverviewRow[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(([heading]) => heading)),
    line(columns.map(() => '---')),
    ...rows.map(row => line(columns.map(([, cell]) => inMarkdown(cell(row))))),
  ].join('\n')
}

/** Each call is a link to its part of the page. */
export function overviewMarkup(rows: readonly OverviewRow[]): Markup {
  const [, ...rest] = columns
  return markup`<table>
<thead><tr>${columns.map(([heading]) => markup`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (
    row,
    index,
  ) => markup`<tr><th scope="row"><a href="#call-${String(index + 1)}">${row.call}</a></th>${rest.map(
    ([, cell]) => markup`<td>${cell(row)}</td>`,
  )}</tr>
`,
)}</tbody>
</table>`
}

/** For spreadsheets: the duration in seconds. */
export function overviewCsv(rows: readonly OverviewRow[]): string {
  return csvDocument([
    ['call', 'number', 'name', 'when', 'duration_seconds', 'outcome'],
    ...rows.map(({ call, number, name, when, durationMs, outcome }) => [
      call,
      number ?? '',
      name ?? '',
      when,
      durationMs === null ? '' : String(Math.round(durationMs / 1000)),
      outcome,
    ]),
  ])
}
