import stringWidth from 'string-width'
import { type Position, plainText } from '../../../files/text/index.ts'
import { escapeForTerminal } from '../../../lib/text/escape.ts'
import { cut } from '../../../lib/text/layout.ts'
import { dim, red, type Text, text, whole } from '../../../lib/text/text.ts'

interface LineLocation {
  readonly file: string
  readonly position?: Position | undefined
}

/** Returns the drawn source of a finding. */
export type SourceDrawer = (finding: LineLocation) => Text | undefined

export interface SourceView {
  /** Columns. */
  readonly width: number
  /** Line of the file at a place; undefined if the file cannot be read. */
  lineAt(location: LineLocation): string | undefined
}

/**
 * Draws source lines, each once: at its first finding, with a caret below the column of every finding in it. Of a long line, it draws each
 * part that has findings. Returns undefined for a finding without a place, and for one that has its caret already.
 */
export function createSourceLines(
  findings: readonly LineLocation[],
  { width, lineAt }: SourceView,
): SourceDrawer {
  const room = Math.max(narrowestRoom, width - gutterWidth)
  const columnsByLine = new Map<string, Set<number>>()
  for (const { file, position } of findings) {
    if (position === undefined) continue
    const key = keyOf(file, position.line)
    columnsByLine.set(key, (columnsByLine.get(key) ?? new Set()).add(position.column))
  }
  const partsByLine = new Map<string, Map<number, LinePart>>()
  return finding => {
    const { file, position } = finding
    if (position === undefined) return undefined
    const key = keyOf(file, position.line)
    const parts = partsByLine.get(key) ?? partsOf(columnsByLine.get(key) ?? [], room)
    partsByLine.set(key, parts)
    const part = parts.get(position.column)
    const line = part?.isDrawn === false ? lineAt(finding) : undefined
    if (part === undefined || line === undefined) return undefined
    part.isDrawn = true
    return drawLine(line, position.line, part.columns, room)
  }
}

/** Part of a line that is drawn at once. */
interface LinePart {
  /** Ascending. */
  readonly columns: number[]
  isDrawn: boolean
}

/** Splits the columns of a line into parts that fit into the room, by column. */
function partsOf(columns: Iterable<number>, room: number): Map<number, LinePart> {
  const parts = new Map<number, LinePart>()
  let part: LinePart = { columns: [], isDrawn: false }
  let end = 0
  for (const column of [...columns].sort((one, other) => one - other)) {
    if (column > end) {
      part = { columns: [], isDrawn: false }
      end = column <= room - afterCaret(room) ? room : column + room - beforeCaret(room) - afterCaret(room)
    }
    part.columns.push(column)
    parts.set(column, part)
  }
  return parts
}

/** Finds the lines of places in the texts of files, which are split when a line is asked for. */
export function linesIn(texts: ReadonlyMap<string, string>): SourceView['lineAt'] {
  const files = new Map<string, readonly string[]>()
  return ({ file, position }) => {
    const text = texts.get(file)
    const lines = files.get(file) ?? (text === undefined ? undefined : plainText(text).split('\n'))
    if (lines === undefined || position === undefined) return undefined
    files.set(file, lines)
    return lines[position.line - 1]
  }
}

function keyOf(file: string, line: number): string {
  return `${file}\0${line}`
}

const gutterWidth = '12345 | '.length

/** Columns in ascending order. Of a long line, the part around the first column. */
function drawLine(line: string, number: number, columns: readonly number[], room: number): Text {
  const gutter = `${String(number).padStart(gutterWidth - 3)} | `
  const safe = (words: string) => escapeForTerminal(words.replaceAll('\t', ' '))
  const [first = 1] = columns
  // Measuring the text before each part of a line of megabytes would take too long.
  const isNear = first <= room && stringWidth(safe(line.slice(0, first - 1))) < room - afterCaret(room)
  const left = isNear ? 0 : startOf(line, first - beforeCaret(room))
  const ellipsis = left > 0 ? '…' : ''
  const visibleText = cut(ellipsis + safe(line.slice(left, first + 2 * room)), room).trimEnd()
  const offsets = columns.map(column => stringWidth(ellipsis + safe(line.slice(left, column - 1))))
  const carets = offsets.reduce(
    (row, offset) => (offset < room ? `${row}${' '.repeat(Math.max(0, offset - row.length))}^` : row),
    '',
  )
  // Wrapping at words would move the carets away from their columns.
  return whole(text`${dim(gutter)}${visibleText}\n${dim(`${' '.repeat(gutter.length - 2)}| `)}${red(carets)}`)
}

const narrowestRoom = 12

/** Columns of a long line that are shown before the first caret. */
function beforeCaret(room: number): number {
  return Math.min(20, room >> 1)
}

/** Columns that are shown behind a caret at least. */
function afterCaret(room: number): number {
  return Math.min(10, room >> 2)
}

/** No character is cut in two. */
function startOf(line: string, column: number): number {
  const start = Math.max(0, column - 1)
  return /[\udc00-\udfff]/.test(line.charAt(start)) ? start - 1 : start
}
