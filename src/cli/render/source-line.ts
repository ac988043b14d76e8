import stringWidth from 'string-width'
import { escapeForTerminal } from '../../lib/text/escape.ts'
import { cut } from '../../lib/text/layout.ts'
import { dim, red, type Text, text } from '../../lib/text/text.ts'
import type { Diagnostic } from '../../source/index.ts'

/** Where a finding stands. */
type Place = Pick<Diagnostic, 'file' | 'position'>

export interface SourceView {
  /** Columns. */
  readonly width: number
  /** The line of its file at which a place stands; undefined where the file cannot be read. */
  lineAt(place: Place): string | undefined
}

/**
 * Draws source lines, each once: at its first finding, with a caret below the column of every finding in it. Returns undefined for a
 * finding without a place, and for later ones in the same line.
 */
export function createSourceLines(
  findings: readonly Place[],
  { width, lineAt }: SourceView,
): (finding: Place) => Text | undefined {
  const columnsByLine = new Map<string, Set<number>>()
  for (const { file, position } of findings) {
    if (position === undefined) continue
    const key = keyOf(file, position.line)
    columnsByLine.set(key, (columnsByLine.get(key) ?? new Set()).add(position.column))
  }
  return finding => {
    const { file, position } = finding
    if (position === undefined) return undefined
    const key = keyOf(file, position.line)
    const columns = columnsByLine.get(key)
    const line = columns && lineAt(finding)
    columnsByLine.delete(key)
    if (columns === undefined || line === undefined) return undefined
    return drawLine(
      line,
      position.line,
      [...columns].sort((one, other) => one - other),
      width,
    )
  }
}

/** Finds the lines of places in the texts of files, which are split when a line is asked for. */
export function linesIn(texts: ReadonlyMap<string, string>): SourceView['lineAt'] {
  const files = new Map<string, readonly string[]>()
  return ({ file, position }) => {
    const lines =
      files.get(file) ??
      texts
        .get(file)
        ?.replace(/^\ufeff/, '')
        .split(/\r?\n/)
    if (lines === undefined || position === undefined) return undefined
    files.set(file, lines)
    return lines[position.line - 1]
  }
}

function keyOf(file: string, line: number): string {
  return `${file}\0${line}`
}

/** Columns in ascending order. Of a long line, the part around the first column. */
function drawLine(line: string, number: number, columns: readonly number[], width: number): Text {
  const gutter = `${String(number).padStart(5)} | `
  const room = Math.max(20, width - gutter.length)
  const safe = (words: string) => escapeForTerminal(words.replaceAll('\t', ' '))
  const [first = 1] = columns
  const isNear = stringWidth(safe(line.slice(0, first - 1))) < room - minBehindCaret
  const left = isNear ? 0 : startOf(line, first)
  const ellipsis = left > 0 ? '…' : ''
  const shown = cut(ellipsis + safe(line.slice(left, first - 1 + room)), room).trimEnd()
  const offsets = columns
    .filter(column => column - first < room)
    .map(column => stringWidth(ellipsis + safe(line.slice(left, column - 1))))
  const carets = offsets.reduce(
    (row, offset) => (offset < room ? `${row}${' '.repeat(Math.max(0, offset - row.length))}^` : row),
    '',
  )
  return text`${dim(gutter)}${shown}\n${dim(`${' '.repeat(gutter.length - 2)}| `)}${red(carets)}`
}

const minBehindCaret = 10
const shownBeforeCaret = 20

/** No character is cut in two. */
function startOf(line: string, column: number): number {
  const start = Math.max(0, column - 1 - shownBeforeCaret)
  return /[\udc00-\udfff]/.test(line.charAt(start)) ? start - 1 : start
}
