import { escapeForTerminal } from './escape.ts'
import { clustersOf, cut, inColumns, plain, widthOf } from './layout.ts'
import { dim, join, type Text } from './text.ts'

export interface TableColumn<Row> {
  readonly heading: string
  /** Hostile; its newlines are shown as escapes. */
  readonly cell: (row: Row) => string
  /** Columns below which it is no longer readable. */
  readonly min: number
  readonly align?: 'right' | undefined
  /** Side to truncate. Default: the end; `beginning` if the ends of cells tell them apart. */
  readonly cut?: 'beginning' | undefined
  /** Columns to drop on narrow terminals have a number, the highest is dropped first. */
  readonly leaveOut?: number
  readonly style?: (cell: Text) => Text
}

/** Rows below headings. No line is wider than the terminal, as long as the columns that stay fit with their least widths. */
export function table<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[], width: number): Text {
  const fittingColumns = fitting(rows, columns, width)
  const gap = ' '.repeat(
    fittingColumns.reduce((sum, column) => sum + column.columns + 2, -2) <= width ? 2 : 1,
  )
  const line = (cellOf: (column: TableColumn<Row>) => [words: string, style: (cell: Text) => Text]) => {
    const cells = fittingColumns.map(column => {
      const [words, style] = cellOf(column)
      return { words: inCell(words, column), style }
    })
    // No blanks at the end of a line.
    const last = cells.findLastIndex(({ words }) => words.trim() !== '')
    const visibleCells = cells.slice(0, last + 1)
    return join(
      visibleCells.map(({ words, style }, index) => style(index === last ? words.trimEnd() : words)),
      gap,
    )
  }
  const head = line(({ heading }) => [heading, dim])
  return join([head, ...rows.map(row => line(({ cell, style = plain }) => [cell(row), style]))])
}

/** Columns of the terminal below which something of a table is cut. */
export function wholeWidth<Row>(rows: readonly Row[], columns: readonly TableColumn<Row>[]): number {
  return columns.reduce((sum, column) => sum + widestOf(rows, column) + 1, -1)
}

function widestOf<Row>(rows: readonly Row[], { heading, cell }: TableColumn<Row>): number {
  return rows.reduce((most, row) => Math.max(most, widthOf(cell(row))), widthOf(heading))
}

interface DrawnColumn<Row> extends TableColumn<Row> {
  columns: number
}

/** The columns that there is room for, each as wide as its widest cell, or narrower where the terminal is. */
function fitting<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  width: number,
): readonly DrawnColumn<Row>[] {
  let visibleColumns = columns.map(column => ({
    ...column,
    columns: Math.max(1, Math.min(width, widestOf(rows, column))),
  }))
  const least = () => visibleColumns.reduce((sum, { columns, min }) => sum + Math.min(columns, min) + 1, -1)
  while (least() > width) {
    const dearest = visibleColumns.toSorted((one, other) => (other.leaveOut ?? 0) - (one.leaveOut ?? 0))[0]
    if (dearest?.leaveOut === undefined) break
    visibleColumns = visibleColumns.filter(column => column !== dearest)
  }
  let excess = visibleColumns.reduce((sum, column) => sum + column.columns + 1, -1) - width
  while (excess > 0) {
    const [widest] = visibleColumns.toSorted(
      (one, other) => other.columns - other.min - (one.columns - one.min),
    )
    if (widest === undefined || widest.columns <= widest.min) break
    widest.columns -= 1
    excess -= 1
  }
  return visibleColumns
}

function inCell<Row>(words: string, { columns, align, cut: side }: DrawnColumn<Row>): string {
  const fitting = side === 'beginning' ? lastColumns(words, columns) : inColumns(words, columns)
  if (align !== 'right') return fitting
  const filled = fitting.trimEnd()
  return ' '.repeat(columns - widthOf(filled)) + filled
}

/** Exactly this many columns: padded, or its end behind an ellipsis. */
function lastColumns(words: string, columns: number): string {
  if (widthOf(words) <= columns) return inColumns(words, columns)
  // Escaped one by one, so that an escape is not cut in two.
  const characters = Array.from(clustersOf(words), cluster => escapeForTerminal(cluster))
  let end = ''
  while (characters.length > 0 && widthOf(`${characters.at(-1)}${end}`) < columns)
    end = `${characters.pop()}${end}`
  return inColumns(cut(`…${end}`, columns), columns)
}
