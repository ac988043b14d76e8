import stringWidth from 'string-width'
import { escapeForTerminal } from '../../lib/text/escape.ts'

export interface LineView {
  /** Rows above the line, painted, none wider than the terminal. */
  readonly above: readonly string[]
  /** Painted, one row. */
  readonly prompt: string
  readonly line: string
  /** Place in the line, in UTF-16 code units. */
  readonly cursor: number
  readonly columns: number
  /** Rows of the terminal. */
  readonly height: number
}

export interface Drawing {
  readonly rows: readonly string[]
  readonly cursor: { readonly row: number; readonly column: number }
}

const narrowest = 8

/**
 * Where everything stands: the rows above, then prompt and line, wrapped under its beginning, with no row of it in the last
 * column, where terminals differ. What does not fit the terminal is left out: of the rows above the first ones, of a
 * long line those that are far from the cursor.
 */
export function layOut({ above, prompt, line, cursor, columns, height }: LineView): Drawing {
  const input = wrapInput(prompt, line, cursor, Math.max(columns, narrowest) - 1)
  const most = Math.max(1, height - 1)
  const first = Math.max(0, Math.min(input.cursor.row - most + 1, input.rows.length - most))
  const inputRows = input.rows.slice(first, first + most)
  const room = most - inputRows.length
  const shown = above.length > room ? above.slice(above.length - room) : above
  return {
    rows: [...shown, ...inputRows],
    cursor: { row: shown.length + input.cursor.row - first, column: input.cursor.column },
  }
}

function wrapInput(prompt: string, line: string, cursor: number, columns: number): Drawing {
  const promptWidth = stringWidth(prompt)
  const indent = columns - promptWidth >= narrowest ? promptWidth : 0
  const rows = indent === 0 ? [prompt, ''] : [prompt]
  let column = indent
  let place = { row: rows.length - 1, column }
  for (const { segment, index } of graphemes.segment(line)) {
    const shown = escapeForTerminal(segment)
    const width = stringWidth(shown)
    if (column + width > columns && column > indent) {
      rows.push(' '.repeat(indent))
      column = indent
    }
    if (index <= cursor) place = { row: rows.length - 1, column }
    rows.push(`${rows.pop() ?? ''}${shown}`)
    column += width
  }
  if (cursor >= line.length) place = { row: rows.length - 1, column }
  return { rows, cursor: place }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
