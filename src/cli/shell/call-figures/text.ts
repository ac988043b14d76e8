import { formatPercent, formatValue } from '../../../calls/report/index.ts'
import { hang, inColumns, plain, widthOf } from '../../../lib/text/layout.ts'
import { table } from '../../../lib/text/table.ts'
import {
  advice,
  bold,
  cyan,
  dim,
  green,
  join,
  red,
  type Text,
  text,
  whole,
  yellow,
} from '../../../lib/text/text.ts'
import { drawBar, drawSparkline, formatInterval, histogram } from './values.ts'
import type { ReportSection, ReportView, ShareRow, ShownVerdict, SpreadRow } from './view.ts'

/** Formats a report for a terminal: lines of at most `width` columns, except commands. */
export function reportText({ title, subtitle, notes, verdicts, sections }: ReportView, width: number): Text {
  const head = join([
    hang('', 0, title, width, bold),
    hang('', 0, subtitle, width, dim),
    ...notes.map(note => hang('', 0, note, width, dim)),
  ])
  return join(
    [
      head,
      ...(verdicts.length === 0 ? [] : [join(verdicts.map(verdict => verdictText(verdict, width)))]),
      ...sections.map(section => text`${bold(section.title)}\n${sectionText(section, width - 2)}`),
    ],
    '\n\n',
  )
}

const verdictStyles = { holds: red('✕'), passes: green('✓'), 'no-data': yellow('?') } as const

function verdictText({ state, text: condition, actual }: ShownVerdict, width: number): Text {
  return hang(text`${verdictStyles[state]} `, 2, `${condition}: ${actual}`, width, plain)
}

function sectionText(section: ReportSection, width: number): Text {
  switch (section.kind) {
    case 'shares': {
      const labelWidth = Math.min(maxLabel, Math.max(...section.rows.map(({ label }) => widthOf(label))))
      return indent(section.rows.map(row => shareText(row, labelWidth, width)))
    }
    case 'spreads':
      return indent([spreadTable(section.rows, width)])
    case 'table':
      return indent([plainTable(section, width)])
    case 'list':
      return join([
        ...section.items.map(({ lead, text: words, command }) =>
          join([
            hang(text`  ${bold(lead)}  `, widthOf(lead) + 4, words, width + 2, plain),
            ...(command === undefined ? [] : [text`    ${advice(dim(whole(command)))}`]),
          ]),
        ),
        ...(section.more === 0 ? [] : [dim(`  … and ${section.more} more`)]),
      ])
  }
}

/** Two columns in front of each line. */
function indent(blocks: readonly Text[]): Text {
  return join(blocks.map(block => ['  ', withIndent(block)]))
}

function withIndent(value: Text): Text {
  if (typeof value === 'string') return value.replaceAll('\n', '\n  ')
  return 'style' in value ? { ...value, text: withIndent(value.text) } : value.map(withIndent)
}

const maxLabel = 24
const barColumns = 24

function shareText({ label, share, count, interval }: ShareRow, labels: number, width: number): Text {
  const figures = `${String(count).padStart(6)} ${formatPercent(share).padStart(5)}${interval === '' ? '' : `  ${interval}`}`
  const columns = Math.max(0, Math.min(barColumns, width - labels - 30))
  return text`${inColumns(label, labels)}  ${cyan(drawBar(share, columns).padEnd(columns))} ${figures.trimEnd()}`
}

const bins = 12

function spreadTable(rows: readonly SpreadRow[], width: number): Text {
  const value = (row: SpreadRow, percentile: 'p50' | 'p90' | 'p95' | 'max') =>
    formatValue(row.figure[percentile], row.figure.unit)
  return table(
    rows,
    [
      { heading: 'figure', cell: ({ label }) => label, min: 13 },
      { heading: 'n', cell: ({ figure }) => String(figure.count), min: 5, align: 'right' },
      { heading: 'p50', cell: row => value(row, 'p50'), min: 6, align: 'right' },
      { heading: 'p90', cell: row => value(row, 'p90'), min: 6, align: 'right' },
      { heading: 'p95', cell: row => value(row, 'p95'), min: 6, align: 'right' },
      {
        heading: '95% CI',
        cell: ({ figure }) => formatInterval(figure.intervals.p95, figure.unit, figure.count),
        min: 11,
        leaveOut: 2,
      },
      { heading: 'max', cell: row => value(row, 'max'), min: 6, align: 'right', leaveOut: 1 },
      {
        heading: 'spread',
        cell: ({ figure }) => drawSparkline(histogram(figure.sorted, bins).bins),
        min: bins,
        leaveOut: 3,
        style: cyan,
      },
    ],
    width,
  )
}

/** Columns of a table beyond which the figures are too far from the name of their row. */
const maxTable = 100

/** Names in the first column, figures in those with a heading. */
function plainTable({ heads, rows, note }: Extract<ReportSection, { kind: 'table' }>, width: number): Text {
  const last = heads.length - 1
  const columns = heads.map((heading, column) => ({
    heading,
    cell: (cells: readonly string[]) => cells[column] ?? '',
    min: column === 0 ? 12 : Math.min(Math.max(heading.length, 8), 10),
    ...(column > 0 && heading !== '' && { align: 'right' as const }),
    ...(column > 1 && column < last && { leaveOut: column }),
  }))
  return join([
    ...(rows.length === 0 ? [] : [table(rows, columns, Math.min(width, maxTable))]),
    ...(note === undefined ? [] : [dim(note)]),
  ])
}
