import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'
import { onNextTurn } from '../lib/clock.ts'
import type { ParseError, Position } from './diagnostic.ts'
import { brokenCsv, csvOptions, maxRecordBytes, readCsvRecords } from './read-csv.ts'

export type LocatedError = Omit<ParseError, 'offset'> & { readonly position?: Position | undefined }

/** Rows of a table with any columns. */
export interface DelimitedRows {
  readonly columns: readonly string[]
  readonly size: number
  /** Problems of the header, or of the whole text. */
  readonly errors: readonly LocatedError[]
  /** Returns the cells of a row without surrounding space; it may have more or fewer than the header. */
  cellsOf(row: number): readonly string[]
  /** Returns where a cell begins, by the indices of row and column, or where the row does. */
  positionOf(row: number, column?: number): Position
}

/**
 * Reads a table of up to millions of rows in UTF-8, separated by commas, semicolons or tabs. The process responds to signals meanwhile.
 * Only the bytes are kept, because the cells would take four times their size. Cells and positions are read from them on demand.
 */
export async function readDelimited(utf8: Buffer, { sliceBytes = 1 << 18 } = {}): Promise<DelimitedRows> {
  const delimiter = detectDelimiter(utf8)
  /** Number of the last line of each record, from 1. */
  const lastLines: number[] = []
  /** Offset of the end of each record. */
  const ends: number[] = []
  const parser = parse({
    ...withoutEmptyLines,
    delimiter,
    max_record_size: maxRecordBytes,
    on_record(_: unknown, { lines, bytes }: { readonly lines: number; readonly bytes: number }) {
      lastLines.push(lines)
      ends.push(bytes)
      return null
    },
  })
  const recordText = (index: number, length?: number) => {
    const start = ends[index - 1] ?? 0
    return utf8.toString('utf8', start, length === undefined ? ends[index] : start + length)
  }
  try {
    await pipeline(slicesOf(utf8, sliceBytes), parser)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const text = recordText(ends.length, maxRecordBytes)
    const found = error.code === 'CSV_MAX_RECORD_SIZE' ? undefined : readCsvRecords(text, delimiter).error
    const { offset = 0, ...located } = found ?? brokenCsv(error, text.search(/\S/))
    return withoutRows({ ...located, position: positionIn(text.slice(0, offset), lastLines.at(-1)) })
  }
  if (ends.length === 0) return withoutRows({ code: 'empty-file', message: 'the file is empty' })
  const cellsOf = createCellReader(delimiter)
  const columns = cellsOf(recordText(0))
  // The header is the first record.
  const positionOf = (row: number, column?: number) => {
    const linesBefore = lastLines[row] ?? 0
    // Results have the line of each row, and reading it takes longer than all else of them.
    if (column === undefined && /\S/.test(String.fromCharCode(utf8[ends[row] ?? 0] ?? 0x20)))
      return { line: linesBefore + 1, column: 1 }
    const text = recordText(row + 1)
    const cells = readCsvRecords(text, delimiter).records[0]?.cells ?? []
    return positionIn(text.slice(0, cells[column ?? 0]?.start ?? 0), linesBefore)
  }
  return {
    columns,
    size: ends.length - 1,
    errors: duplicateColumns(columns, index => positionOf(-1, index)),
    cellsOf: row => cellsOf(recordText(row + 1)),
    positionOf,
  }
}

const withoutEmptyLines = { ...csvOptions, trim: true, skip_empty_lines: true }

/**
 * Creates a function that returns the cells of a record that csv-parse accepts. Parsing each record again takes ten times as long.
 */
function createCellReader(delimiter: string): (record: string) => string[] {
  const space = `[^\\S${delimiter}]*`
  const cell = new RegExp(`${space}(?:"([^"]*(?:""[^"]*)*)"${space}|([^${delimiter}]*))(${delimiter}|$)`, 'y')
  return record => {
    const cells: string[] = []
    cell.lastIndex = 0
    for (let isLast = false; !isLast; ) {
      const [, quoted, plain = '', end] = cell.exec(record) ?? []
      // csv-parse also accepts quoted parts that spaces separate.
      if (plain.includes('"')) return parseRecord(record, delimiter)
      cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
      isLast = end !== delimiter
    }
    return cells
  }
}

/** Returns the position after a text that begins after other lines. */
function positionIn(before: string, linesBefore = 0): Position {
  const lines = before.split('\n')
  return { line: linesBefore + lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

async function* slicesOf(bytes: Buffer, sliceBytes: number): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    yield bytes.subarray(start, start + sliceBytes)
    await new Promise<void>(onNextTurn)
  }
}

function duplicateColumns(
  columns: readonly string[],
  positionOf: (column: number) => Position,
): readonly LocatedError[] {
  return columns.flatMap((column, index) => {
    if (columns.indexOf(column) === index) return []
    return [{ code: 'duplicate-key', message: `duplicate column ${column}`, position: positionOf(index) }]
  })
}

function withoutRows(error: LocatedError): DelimitedRows {
  return {
    columns: [],
    size: 0,
    errors: [error],
    cellsOf: () => [],
    positionOf: () => ({ line: 1, column: 1 }),
  }
}

/** Returns the columns of a table, and its delimiter. */
export function readTableHeader(utf8: Buffer): {
  readonly columns: readonly string[]
  readonly delimiter: string
} {
  const delimiter = detectDelimiter(utf8)
  const columns = parseRecord(utf8, delimiter)
  return { columns, delimiter }
}

/** Parses the first record of a text. */
function parseRecord(text: Buffer | string, delimiter: string): string[] {
  const [cells = []]: string[][] = parseNow(text, { ...withoutEmptyLines, delimiter, to: 1 })
  return cells
}

/** Returns the delimiter of which the first line with text has most, outside quotes. */
function detectDelimiter(utf8: Buffer): string {
  const [header = ''] = /[^\r\n]*\S[^\r\n]*/.exec(utf8.toString('utf8', 0, maxRecordBytes)) ?? []
  const counts = [',', ';', '\t'].map(each => ({
    each,
    count: header.replace(/"[^"]*"/g, '').split(each).length,
  }))
  return counts.reduce((most, other) => (other.count > most.count ? other : most)).each
}
