import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import type { Finding } from '../../interface/finding.ts'
import { onNextTurn } from '../../lib/clock.ts'
import { lazy } from '../../lib/lazy.ts'
import { count } from '../../lib/text/count.ts'
import { lineNumbers, type Position, withLineFeeds } from '../text/index.ts'

/** A problem of a whole table, or of its header. */
export interface TableProblem extends Partial<Finding> {
  readonly code: string
  readonly message: string
  readonly position?: Position | undefined
}

/** Why a row cannot be used. */
export interface RowProblem {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  /** Index of the cell with the problem; undefined for the whole row. */
  readonly cell?: number
}

export interface TableRow {
  /** In the order of the columns; it may have fewer or more cells. */
  readonly cells: readonly string[]
  readonly problem?: RowProblem
}

/** Offsets in the text of a record, in UTF-16 code units, without surrounding space and with quotes. */
export interface Extent {
  readonly start: number
  readonly end: number
}

/** A record of the file: its bytes without the line end and an ignored separator before it, and where its cells are in the text of these bytes. */
export interface TableRecord {
  readonly start: number
  readonly end: number
  readonly cells: readonly Extent[]
}

/** Rows of text below a header. Blank rows are not counted. */
export interface Table {
  readonly separator: string
  /** Headings; empty text for a column without one, whose cells are ignored. */
  readonly columns: readonly string[]
  readonly size: number
  /** Problems because of which no row can be used. */
  readonly errors: readonly TableProblem[]
  /** Columns without a heading whose cells are ignored. */
  readonly warnings: readonly TableProblem[]
  rowAt(row: number): TableRow
  /** Returns the cells of one of the first rows, the header included, as the separator of its own line divides them. */
  recordAt(row: number): TableRecord
  /** Returns where a row begins, or one of its cells. The header is row -1. */
  positionOf(row: number, cell?: number): Position
}

/** Limit of a row. More than any row has, and small enough to find an unterminated quote at once. */
const maxRecordBytes = 1024 ** 2

/**
 * Reads a table as spreadsheet programs write it, from UTF-8 without a byte order mark: separated by commas, semicolons, tabs or `|`, or
 * as a first line `sep=;` says. Missing cells at the end of a row are empty. A row that cannot be read has a problem, and the next line is read as a row again. Only the bytes and the
 * extents of rows are kept, because millions of cells would take four times their size; cells and positions are read on demand. The
 * process responds to signals meanwhile.
 */
export async function readTable(utf8: Buffer, { sliceBytes = 1 << 18 } = {}): Promise<Table> {
  const { separator, start, other, unused } = detectSeparator(utf8)
  const readCells = createCellReader(separator)
  const { starts, ends, strays, isTooBroken } = await findRecords(utf8, {
    ...{ separator, start, sliceBytes },
    isWellFormed: record => readCells(record).broken === undefined,
    isBlank: record => !readCells(record).cells.some(isFilled),
  })
  const trailing = findTrailingSeparator(utf8, ends, separator)
  const atEnd = trailing === undefined ? undefined : new RegExp(`[\\s${trailing}]+$`)
  const textOf = (recordIndex: number) => {
    const text = utf8.toString('utf8', starts[recordIndex], ends[recordIndex])
    return atEnd === undefined ? text : text.replace(atEnd, '')
  }
  const lines = lazy(() => lineNumbers(utf8, starts))
  const positionOf = (row: number, cell?: number): Position => {
    const line = lines()[row + 1] ?? 1
    if (cell === undefined) return { line, column: 1 }
    const text = textOf(row + 1)
    const before = text.slice(0, extentsOf(text, readCells)[cell]?.start ?? 0).split(lineEnd)
    return { line: line + before.length - 1, column: (before.at(-1)?.length ?? 0) + 1 }
  }
  const withoutRows = (error: TableProblem): Table => ({
    ...{ separator, columns: [], size: 0, errors: [error], warnings: [] },
    rowAt: () => ({ cells: [] }),
    recordAt: () => ({ start: 0, end: 0, cells: [] }),
    positionOf: () => ({ line: 1, column: 1 }),
  })
  if (starts.length === 0) return withoutRows(emptyTable)
  if (other !== undefined)
    return withoutRows({ ...twoSeparators(separator, other), position: positionOf(-1) })
  if (unused !== undefined)
    return withoutRows({ ...wrongSeparator(separator, unused), position: positionOf(-1) })
  const header = readRow(textOf(0), readCells)
  if (header.problem !== undefined) {
    const { cell, ...problem } = header.problem
    return withoutRows({ ...problem, position: positionOf(-1, cell) })
  }
  if (isTooBroken) return withoutRows({ ...tooBroken, position: positionOf(starts.length - 2) })
  const columns = header.cells
  const damage = damageOfQuotes(columns, starts.length > 1 ? readRow(textOf(1), readCells).cells : columns)
  if (damage !== undefined) return withoutRows({ ...damage, position: positionOf(-1) })
  const named = columns.findLastIndex(column => column !== '') + 1
  const isHeader = (cells: readonly string[]) =>
    named > 1 && cells[0] === columns[0] && columns.every((column, index) => (cells[index] ?? '') === column)
  return {
    separator,
    columns,
    size: starts.length - 1,
    errors: duplicateColumns(columns, index => positionOf(-1, index)),
    warnings: [
      ...(trailing === undefined ? [] : [{ ...trailingSeparators(trailing), position: positionOf(-1) }]),
      ...Array.from(strays, ([cell, { row, cells }]) => ({
        ...cellsWithoutHeading(cell, cells),
        position: positionOf(row, cell),
      })),
    ],
    rowAt(row) {
      const text = textOf(row + 1)
      const tableRow = readRow(text, readCells)
      const { problem, cells } = tableRow
      if (problem !== undefined) return tableRow
      if (isHeader(cells)) return { ...tableRow, problem: repeatedHeader }
      if (cells.length === 1 && named > 1 && text.startsWith('"')) {
        const quoted = readCells(cells[0] ?? '').cells
        if (quoted.length === named && quoted.some(isFilled)) return { ...tableRow, problem: quotedRow }
      }
      if (cells.slice(columns.length).every(cell => cell === '')) return tableRow
      return { ...tableRow, problem: tooManyCells(cells, named, separator) }
    },
    recordAt(row) {
      const start = starts[row + 1] ?? 0
      const text = textOf(row + 1)
      return { start, end: start + Buffer.byteLength(text), cells: extentsOf(text, readCells) }
    },
    positionOf,
  }
}

const emptyTable: TableProblem = {
  code: 'empty-file',
  message: 'the file is empty',
  hint: 'write a first line that names the columns, and the rows below it',
}

interface RecordOptions {
  readonly separator: string
  /** Offset of the header. */
  readonly start: number
  readonly sliceBytes: number
  isWellFormed(record: string): boolean
  isBlank(record: string): boolean
}

/**
 * Finds the records with text. A quote that is not closed reaches into the rows below it, so such a record ends with its first line, and
 * the parser begins again behind it.
 */
async function findRecords(
  utf8: Buffer,
  { separator, start, sliceBytes, isWellFormed, isBlank }: RecordOptions,
) {
  /** Offsets in bytes, without the line end. */
  const starts: number[] = []
  const ends: number[] = []
  /** Columns without a heading → the first row with a cell there, and the number of such cells. */
  const strays = new Map<number, { readonly row: number; cells: number }>()
  let unnamed: readonly number[] = []
  let next = start
  let repeatedBytes = 0
  const add = (from: number, to: number) => {
    let [first, last] = [from, to]
    while (isLineEnd(utf8[first]) && first < last) first += 1
    while (isLineEnd(utf8[last - 1]) && last > first) last -= 1
    starts.push(first)
    ends.push(last)
  }
  const readOn = async () => {
    const from = next
    let linesBefore = 0
    const parser = parse({
      delimiter: separator,
      // All three, so that a file with mixed line ends is read as editors display it.
      record_delimiter: ['\r\n', '\n', '\r'],
      ltrim: true,
      max_record_size: maxRecordBytes,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record(
        cells: readonly string[],
        { lines, bytes }: { readonly lines: number; readonly bytes: number },
      ) {
        const end = from + bytes
        const hasLines = lines - linesBefore > 1
        if (hasLines && !isWellFormed(utf8.toString('utf8', next, end).trim())) throw new BrokenRecord()
        linesBefore = lines
        // The parser takes the quotes of `" " ` for text.
        const hasText = cells.some(cell => isFilled(cell) && !cell.startsWith('"'))
        if (hasText || !isBlank(utf8.toString('utf8', next, end).trim())) {
          if (starts.length === 0) unnamed = cells.flatMap((cell, index) => (isFilled(cell) ? [] : [index]))
          for (const index of unnamed) {
            if (!isFilled(cells[index] ?? '')) continue
            const stray = strays.get(index)
            if (stray === undefined) strays.set(index, { row: starts.length - 1, cells: 1 })
            else stray.cells += 1
          }
          add(next, end)
        }
        next = end
        return null
      },
    })
    let sentBytes = 0
    async function* slices() {
      // Small at first: a row that cannot be read is often followed by another one.
      for (
        let size = Math.min(1 << 12, sliceBytes);
        from + sentBytes < utf8.length;
        size = Math.min(size * 2, sliceBytes)
      ) {
        const slice = utf8.subarray(from + sentBytes, from + sentBytes + size)
        sentBytes += slice.length
        yield slice
        await new Promise<void>(onNextTurn)
      }
    }
    try {
      await pipeline(slices, parser)
      next = utf8.length
    } catch (error) {
      if (!(error instanceof CsvError || error instanceof BrokenRecord)) throw error
      const end = firstLineEnd(utf8, next)
      add(next, end)
      repeatedBytes += from + sentBytes - end
      next = end
    }
  }
  // Quotes that nothing closes are between others: each part of an honest file is repeated once or twice.
  const maxRepeatedBytes = 2 * utf8.length + (1 << 24)
  while (next < utf8.length && repeatedBytes <= maxRepeatedBytes) await readOn()
  return { starts, ends, strays, isTooBroken: next < utf8.length }
}

class BrokenRecord extends Error {}

const isFilled = (cell: string) => cell.trim() !== ''

const isLineEnd = (byte: number | undefined) => byte === 0x0a || byte === 0x0d

/** Returns the end of the first line with text. */
function firstLineEnd(utf8: Buffer, from: number): number {
  let end = from
  while (isLineEnd(utf8[end])) end += 1
  while (end < utf8.length && !isLineEnd(utf8[end])) end += 1
  return end
}

const lineEnd = /\r\n|\n|\r/

type ReadCells = ReturnType<typeof createCellReader>

/**
 * Creates a function that reads the cells of a record. Parsing each record again takes ten times as long.
 */
function createCellReader(separator: string) {
  const space = `[^\\S\\${separator}]*`
  const cell = new RegExp(
    `${space}(?:"([^"]*(?:""[^"]*)*)"${space}|([^\\${separator}]*))(\\${separator}|$)`,
    'y',
  )
  /** `onCell` is called with the offsets of a cell and the space around it. */
  return (record: string, onCell?: (start: number, end: number) => void) => {
    const cells: string[] = []
    let broken: number | undefined
    cell.lastIndex = 0
    for (let isLast = false; !isLast; ) {
      const start = cell.lastIndex
      const [, quoted, plain = '', end = ''] = cell.exec(record) ?? []
      if (quoted === undefined && plain.startsWith('"')) broken ??= cells.length
      const value = quoted === undefined ? plain.trim() : withLineFeeds(quoted.replaceAll('""', '"'))
      cells.push(formulaText(value))
      isLast = end === ''
      onCell?.(start, isLast ? record.length : cell.lastIndex - 1)
    }
    return broken === undefined ? { cells } : { cells, broken }
  }
}

/** Returns the text of `="0012"`, by which programs keep a spreadsheet from reading a number. */
function formulaText(value: string): string {
  return value.startsWith('="') && value.length > 2 && value.endsWith('"')
    ? value.slice(2, -1).replaceAll('""', '"')
    : value
}

function extentsOf(record: string, readCells: ReadCells): Extent[] {
  const extents: Extent[] = []
  readCells(record, (from, to) => {
    const raw = record.slice(from, to)
    const start = to - raw.trimStart().length
    extents.push({ start, end: Math.max(start, from + raw.trimEnd().length) })
  })
  return extents
}

function readRow(record: string, readCells: ReadCells): TableRow {
  const { cells, broken } = readCells(record)
  if (record.length > maxRecordBytes) return { cells, problem: tooLong }
  if (broken === undefined) return { cells }
  const cell = record.slice(extentsOf(record, readCells)[broken]?.start)
  const isClosed = /^"[^"]*(?:""[^"]*)*"/.test(cell)
  return { cells, problem: { ...(isClosed ? textAfterQuote : openQuote), cell: broken } }
}

const openQuote: RowProblem = {
  code: 'broken-csv',
  message: 'unterminated quote in this cell',
  hint: 'close the quote, or remove it; inside a quoted cell, double it: ""',
}

const textAfterQuote: RowProblem = {
  code: 'broken-csv',
  message: 'unexpected text after the closing quote of this cell',
  hint: 'double each quote inside a quoted cell: ""',
}

const tooLong: RowProblem = {
  code: 'broken-csv',
  message: `this row is larger than ${maxRecordBytes / 1024 ** 2} MB`,
  hint: 'check that this is the right file',
}

const tooBroken: TableProblem = {
  code: 'broken-csv',
  message: 'too many rows have unterminated quotes; this is one of them',
  hint: 'check that this is the right file',
}

const quotedRow: RowProblem = {
  code: 'quoted-lines',
  message: 'this line is quoted as a whole, and is a single cell',
  hint: 'remove the outer quotes; if it is one cell indeed, add the separators of the others',
}

/** Problem of files that were joined. */
const repeatedHeader: RowProblem = {
  code: 'repeated-header',
  message: 'this row repeats the header',
  hint: 'remove it',
}

function tooManyCells(cells: readonly string[], columns: number, separator: string): RowProblem {
  return {
    code: 'wrong-cell-count',
    message: `expected ${count(columns, 'cell')} as in the header, got ${cells.length}`,
    hint: cells.some(cell => curlyStart.test(cell))
      ? 'replace curly quotes around cells by straight quotes: "'
      : `quote cells that contain ${nameOf(separator)}`,
  }
}

const curlyStart = /^[\u201c-\u201f\u00ab\u00bb]/
const curlyCell = /^[\u201c-\u201f\u00ab\u00bb].*[\u201c-\u201f\u00ab\u00bb]$/s

/** Returns another separator with which each record ends: a table that was saved twice, by programs with separators of their own. */
function findTrailingSeparator(utf8: Buffer, ends: readonly number[], separator: string): string | undefined {
  return [',', ';', '|'].find(candidate => {
    const byte = candidate.charCodeAt(0)
    return candidate !== separator && ends.length > 0 && ends.every(end => utf8[end - 1] === byte)
  })
}

function trailingSeparators(trailing: string) {
  return {
    code: 'trailing-separator',
    severity: 'warning',
    message: `each line ends with ${trailing}, which is ignored`,
    hint: 'the table was saved twice; export it again from the spreadsheet',
  } as const
}

/** Returns the problem of a table whose quotes do not enclose its cells. */
function damageOfQuotes(header: readonly string[], row: readonly string[]): TableProblem | undefined {
  const isWholeLine = (cells: readonly string[]) => {
    const [cell = '', ...others] = cells.filter(isFilled)
    return others.length === 0 && /[^,;\t]*[,;\t]\S/.test(cell)
  }
  if (isWholeLine(header) && isWholeLine(row))
    return {
      code: 'quoted-lines',
      message: 'each line is quoted as a whole, and is a single cell',
      hint: 'the table was saved twice; export it again from the spreadsheet, or remove the outer quotes of each line',
    }
  // A single cell may be a quotation.
  const curly = [header, row].find(cells => {
    const filled = cells.filter(isFilled)
    return filled.length > (cells === header ? 0 : 1) && filled.every(cell => curlyCell.test(cell))
  })
  if (curly === undefined) return undefined
  return {
    code: 'curly-quotes',
    message: `the ${curly === header ? 'headings' : 'cells'} are in curly quotes, as in ${curly.find(isFilled)}`,
    hint: 'replace them by straight quotes: "',
  }
}

function cellsWithoutHeading(cell: number, cells: number) {
  return {
    code: 'no-heading',
    severity: 'warning',
    path: [cell],
    message: `column ${cell + 1} has no heading; ${cells === 1 ? 'its cell is' : `its ${cells} cells are`} ignored`,
    hint: 'name the column in the header if its cells are needed',
  } as const
}

function duplicateColumns(
  columns: readonly string[],
  positionOf: (column: number) => Position,
): TableProblem[] {
  return columns.flatMap((column, index) => {
    if (column === '' || columns.indexOf(column) === index) return []
    return [
      {
        ...{
          code: 'duplicate-key',
          message: `duplicate column ${column}`,
          hint: 'rename one of the columns, or remove it',
          path: [column],
          at: 'key' as const,
        },
        position: positionOf(index),
      },
    ]
  })
}

function twoSeparators(one: string, other: string): TableProblem {
  return {
    code: 'two-separators',
    message: `the header has as many ${nameOf(one)} as ${nameOf(other)}: either may separate its columns`,
    hint: `add a first line sep=${one} or sep=${other}, or quote headings that contain one of them`,
  }
}

function wrongSeparator(declared: string, used: string): TableProblem {
  return {
    code: 'wrong-separator',
    message: `the first line says sep=${declared}, but the header has ${nameOf(used)}`,
    hint: 'remove the first line, or correct it',
  }
}

const separatorNames: Readonly<Record<string, string>> = {
  ...{ ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' },
}

const nameOf = (separator: string) => separatorNames[separator] ?? separator

/**
 * Returns the separator that a first line `sep=;` declares, and where the header begins; or else the separator of which the first line with
 * text has most outside quotes. `other` is another one of which it has as many; `unused`, the one of a header without the declared one.
 */
export function detectSeparator(utf8: Buffer): {
  readonly separator: string
  readonly start: number
  readonly other?: string | undefined
  readonly unused?: string | undefined
} {
  const head = utf8.toString('utf8', 0, maxRecordBytes)
  const [line = '', declared] = /^\s*"?sep=([^\w\s"]|\t)"?[^\S\r\n]*(?:\r\n|\n|\r|$)/i.exec(head) ?? []
  const [header = ''] = /[^\r\n]*\S[^\r\n]*/.exec(head.slice(line.length)) ?? []
  const unquoted = header.replace(/"[^"]*"/g, '"')
  const [first, second] = [',', ';', '\t']
    .map(separator => {
      const parts = unquoted.split(separator)
      return { separator, cells: parts.length, filled: parts.filter(isFilled).length }
    })
    .sort((one, other) => other.cells - one.cells || other.filled - one.filled)
  const { separator = ',', cells = 1 } = first ?? {}
  if (declared !== undefined) {
    const unused = unquoted.includes(declared) || cells === 1 ? undefined : separator
    return { separator: declared, start: Buffer.byteLength(line), unused }
  }
  if (cells === 1 && unquoted.includes('|')) return { separator: '|', start: 0 }
  return {
    separator,
    start: 0,
    other:
      second?.cells === cells && second.filled === first?.filled && cells > 1 ? second.separator : undefined,
  }
}
