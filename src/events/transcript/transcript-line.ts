import { clampForLayout, cut, inColumns, widthOf, wrap } from '../../lib/text/layout.ts'
import { join, type Text } from '../../lib/text/text.ts'

type Style = (line: Text) => Text

/** A column before the text. */
export interface Cell {
  readonly words: string
  readonly columns: number
  /** Columns of space after the cell. */
  readonly gap: number
  readonly style: Style
  /** Dropped last on a narrow terminal. */
  readonly isEssential?: boolean
}

export interface TranscriptLine {
  /** Cells before the text, least important first. */
  readonly cells: readonly Cell[]
  readonly words: string
  readonly style: Style
}

/** Returns an empty cell of the same width. */
export function blank(cell: Cell): Cell {
  return { ...cell, words: '' }
}

/** Lays out the text next to its cells with a hanging indent, or below them if `width` is small. */
export function wrapLine({ cells, words, style }: TranscriptLine, width: number): Text {
  const indent = measureCells(cells)
  const isBeside = width - indent >= (indent <= shortMargin ? minColumns : minTextColumnsBeside)
  const left = isBeside ? indent : width >= 2 * belowIndent ? belowIndent : 0
  const rows = wrap(clampForLayout(words), Math.max(1, width - left)).map(row =>
    row === '' ? '' : style(row),
  )
  const separator = `\n${' '.repeat(left)}`
  if (isBeside) return [cells.map(renderCell), join(rows, separator)]
  const above = stackCells(cells, width)
  return above.length === 0
    ? [' '.repeat(left), join(rows, separator)]
    : [join(above), separator, join(rows, separator)]
}

/**
 * Lays out a line without wrapping, truncated with an ellipsis; newlines become ↵. Narrow terminals drop cells from the first on, essential
 * cells last, and truncate the last one, so that some text is always visible.
 */
export function truncateLine({ cells, words, style }: TranscriptLine, width: number): Text {
  const visibleCells = [...cells]
  const minTextColumns = Math.min(minOneLineColumns, Math.ceil(width / 2))
  while (visibleCells.length > 1 && width - measureCells(visibleCells) < minTextColumns) {
    const dispensable = visibleCells.findIndex(({ isEssential }) => isEssential !== true)
    visibleCells.splice(Math.max(0, dispensable), 1)
  }
  const [last] = visibleCells
  if (
    visibleCells.length === 1 &&
    last !== undefined &&
    width - measureCells(visibleCells) < minTextColumns
  ) {
    const columns = Math.min(last.columns, width - minTextColumns - 1)
    visibleCells.splice(0, 1, ...(columns > 0 && last.words !== '' ? [{ ...last, columns, gap: 1 }] : []))
  }
  const line = clampForLayout(words).replaceAll('\n', ' ↵ ')
  return [visibleCells.map(renderCell), style(cut(line, width - measureCells(visibleCells)))]
}

/** Minimum readable width of text next to its cells. */
const minTextColumnsBeside = 20
/** Less is enough for a truncated line. */
const minOneLineColumns = 16
/** Cells this narrow never move above the text. */
const shortMargin = 3
const minColumns = 5
/** Indent of text below its cells. */
const belowIndent = 2

export function measureCells(cells: readonly Cell[]): number {
  return cells.reduce((sum, { columns, gap }) => sum + columns + gap, 0)
}

function renderCell({ words, columns, gap, style }: Cell): Text {
  const paddedCell = inColumns(words, columns)
  return [words === '' ? paddedCell : style(paddedCell), ' '.repeat(gap)]
}

/** Lays out cells side by side, in as many rows as needed. */
function stackCells(cells: readonly Cell[], width: number): Text[] {
  const rows: { readonly pieces: Text[]; width: number }[] = []
  for (const { words, columns, style } of cells) {
    const fitting = cut(inColumns(words, columns).trim(), width)
    if (fitting === '') continue
    const row = rows.at(-1)
    const usedWidth = widthOf(fitting)
    if (row === undefined || row.width + 1 + usedWidth > width)
      rows.push({ pieces: [style(fitting)], width: usedWidth })
    else {
      row.pieces.push(style(fitting))
      row.width += 1 + usedWidth
    }
  }
  return rows.map(({ pieces }) => join(pieces, ' '))
}
