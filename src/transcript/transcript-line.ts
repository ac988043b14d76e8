import { cut, inColumns, layable, widthOf, wrap } from '../lib/text/layout.ts'
import { join, type Text } from '../lib/text/text.ts'

type Style = (line: Text) => Text

/** A column in front of words. */
export interface Cell {
  readonly words: string
  readonly columns: number
  /** Columns between it and what comes next. */
  readonly gap: number
  readonly style: Style
  /** Kept on one line when there is no room for the other cells. */
  readonly isEssential?: boolean
}

export interface TranscriptLine {
  /** In front of the words, the least important first. */
  readonly cells: readonly Cell[]
  readonly words: string
  readonly style: Style
}

/** A column of the same width that says nothing. */
export function blank(cell: Cell): Cell {
  return { ...cell, words: '' }
}

/**
 * Words beside their cells, wrapped under themselves; where the terminal is too narrow for that, below what the cells say.
 * No line is wider than the terminal, as long as a character of the words is not. Width in columns.
 */
export function wrapped({ cells, words, style }: TranscriptLine, width: number): Text {
  const indent = widthOfCells(cells)
  const isBeside = width - indent >= (indent <= shortMargin ? minColumns : narrowestText)
  const left = isBeside ? indent : width >= 2 * belowIndent ? belowIndent : 0
  const rows = wrap(layable(words), Math.max(1, width - left)).map(row => (row === '' ? '' : style(row)))
  const separator = `\n${' '.repeat(left)}`
  if (isBeside) return [cells.map(draw), join(rows, separator)]
  const above = drawNarrow(cells, width)
  return above.length === 0
    ? [' '.repeat(left), join(rows, separator)]
    : [join(above, '\n'), separator, join(rows, separator)]
}

/**
 * The same on one line, cut with an ellipsis at the width; newlines are shown as ↵. In a narrow terminal, cells are left out from the
 * first one on, essential ones last, and the last one is cut, so that some of the words are always shown.
 */
export function onOneLine({ cells, words, style }: TranscriptLine, width: number): Text {
  const kept = [...cells]
  const minTextColumns = Math.min(minOneLineColumns, Math.ceil(width / 2))
  while (kept.length > 1 && width - widthOfCells(kept) < minTextColumns) {
    const dispensable = kept.findIndex(({ isEssential }) => isEssential !== true)
    kept.splice(Math.max(0, dispensable), 1)
  }
  const [last] = kept
  if (kept.length === 1 && last !== undefined && width - widthOfCells(kept) < minTextColumns) {
    const columns = Math.min(last.columns, width - minTextColumns - 1)
    kept.splice(0, 1, ...(columns > 0 && last.words !== '' ? [{ ...last, columns, gap: 1 }] : []))
  }
  const line = layable(words).replaceAll('\n', ' ↵ ')
  return [kept.map(draw), style(cut(line, width - widthOfCells(kept)))]
}

/** Below this a column of text beside its cells is no longer readable. */
const narrowestText = 20
/** On one line the rest is cut, so less is enough. */
const minOneLineColumns = 16
/** A margin that costs so little that words stay beside it. */
const shortMargin = 3
const minColumns = 5
/** Columns of words that stand below their cells. */
const belowIndent = 2

export function widthOfCells(cells: readonly Cell[]): number {
  return cells.reduce((sum, { columns, gap }) => sum + columns + gap, 0)
}

function draw({ words, columns, gap, style }: Cell): Text {
  const filled = inColumns(words, columns)
  return [words === '' ? filled : style(filled), ' '.repeat(gap)]
}

/** What the cells say, side by side as far as there is room. */
function drawNarrow(cells: readonly Cell[], width: number): Text[] {
  const rows: { readonly pieces: Text[]; width: number }[] = []
  for (const { words, columns, style } of cells) {
    const fitting = cut(inColumns(words, columns).trim(), width)
    if (fitting === '') continue
    const row = rows.at(-1)
    const taken = widthOf(fitting)
    if (row === undefined || row.width + 1 + taken > width)
      rows.push({ pieces: [style(fitting)], width: taken })
    else {
      row.pieces.push(style(fitting))
      row.width += 1 + taken
    }
  }
  return rows.map(({ pieces }) => join(pieces, ' '))
}
