import { CsvError, parse } from 'csv-parse/sync'
import type { FieldPath } from '../interface/finding.ts'
import { count } from '../lib/text/count.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import {
  byteOrderMark,
  type CsvCell,
  type CsvRecord,
  type CsvTable,
  failedParse,
  type Parsed,
  type ParseError,
} from './diagnostic.ts'

const requiredColumns = ['question', 'answer']
const optionalColumns = ['id', 'category', 'updatable']
const faqColumns = [...requiredColumns, ...optionalColumns]

/** Reads FAQ entries from a CSV file (RFC 4180) with `faqColumns` in any order. An empty optional cell is a missing field. */
export function readCsv(text: string): Parsed {
  return parseTable(text, table => {
    const { records, columns } = table
    const missing = missingColumns(table)
    const headerErrors = [...columnErrors(table, unknownColumnProblem), ...missing]
    // Otherwise every record would have the same error.
    if (missing.length > 0) return failedParse(...headerErrors)
    return {
      value: { faq: records.map(record => toEntry(record, columns)) },
      errors: [...headerErrors, ...recordErrors(table, ['faq'])],
      csv: table,
      offsetOf: ([list, ...path]) => offsetOf(table, list === 'faq' ? path : []),
    }
  })
}

/** Reads a CSV file (RFC 4180) with any header as a list of records of strings. */
export function readTable(text: string): Parsed {
  return parseTable(text, table => ({
    value: table.records.map(({ cells }) =>
      Object.fromEntries(table.columns.map((column, index) => [column, cells[index]?.value ?? ''])),
    ),
    errors: [...columnErrors(table, columnNameProblem), ...recordErrors(table, [])],
    csv: table,
    offsetOf: path => offsetOf(table, path),
  }))
}

function parseTable(text: string, read: (table: CsvTable) => Parsed): Parsed {
  const { records, error } = readCsvRecords(text, ',')
  const [header, ...others] = records
  if (error !== undefined) return failedParse(error)
  if (header === undefined) return failedParse({ code: 'empty-file', message: 'the file is empty' })
  return read({ header, records: others, columns: header.cells.map(({ value }) => value.trim()) })
}

/**
 * Computes the exact extent of each cell, which splicing needs and the parser does not report, from its value and whether it was
 * quoted.
 */
export function readCsvRecords(
  text: string,
  delimiter: string,
): { records: CsvRecord[]; error?: ParseError } {
  const lines: CsvCell[][] = []
  let offset = text.startsWith(byteOrderMark) ? 1 : 0
  try {
    parse(text, {
      ...csvOptions,
      delimiter,
      cast(value, { index, quoting }) {
        if (index === 0) {
          offset = lines.length === 0 ? offset : afterLineEnd(text, offset)
          lines.push([])
        } else offset += 1
        const start = offset
        offset += quoting ? value.length + 2 + value.split('"').length - 1 : value.length
        lines.at(-1)?.push({ value, start, end: offset, quoted: quoting })
        return value
      },
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { records: [], error: brokenCsv(error, afterSeparator(text, delimiter, offset, lines.length)) }
  }
  return { records: lines.filter(cells => !isEmptyLine(cells)).map(cells => toRecord(text, cells)) }
}

/** Limit of a row of a list. More than any row has, and small enough to find an unterminated quote at once. */
export const maxRecordBytes = 1024 ** 2

export const csvOptions = {
  bom: true,
  relax_column_count: true,
  // All three, so that a file with mixed line ends is read as editors display it.
  record_delimiter: ['\r\n', '\n', '\r'],
}

function afterLineEnd(text: string, offset: number): number {
  return offset + (text.startsWith('\r\n', offset) ? 2 : 1)
}

/** Returns where the cell begins that the parser rejected. */
function afterSeparator(text: string, delimiter: string, offset: number, lines: number): number {
  if (lines === 0) return offset
  return text[offset] === delimiter ? offset + 1 : Math.min(afterLineEnd(text, offset), text.length)
}

function isEmptyLine([first, ...rest]: readonly CsvCell[]): boolean {
  return first === undefined || (rest.length === 0 && first.value.trim() === '' && !first.quoted)
}

function toRecord(text: string, cells: readonly CsvCell[]): CsvRecord {
  const start = cells[0]?.start ?? 0
  const end = cells.at(-1)?.end ?? start
  return { start, end, raw: text.slice(start, end), cells }
}

export function brokenCsv({ code }: CsvError, offset: number): ParseError {
  const [message, hint] = csvProblems[code] ?? [`this record cannot be read (${code})`]
  return { code: 'broken-csv', message, hint, offset }
}

const csvProblems: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  CSV_QUOTE_NOT_CLOSED: ['unterminated quote in this cell'],
  CSV_INVALID_CLOSING_QUOTE: [
    'unexpected text after the closing quote of this cell',
    'double each quote inside a quoted cell: ""',
  ],
  INVALID_OPENING_QUOTE: [
    'quote inside an unquoted cell',
    'quote the whole cell, and double each quote inside it: ""',
  ],
  CSV_MAX_RECORD_SIZE: [
    `this row is larger than ${maxRecordBytes / 1024 ** 2} MB`,
    'a quote of it may not be closed',
  ],
}

/** Reports duplicate columns, and the problems that `problemOf` finds. */
function columnErrors(
  { columns, header }: CsvTable,
  problemOf: (column: string) => Pick<ParseError, 'message' | 'hint'> | undefined,
): ParseError[] {
  return header.cells.flatMap(({ start }, index): ParseError[] => {
    const column = columns[index] ?? ''
    const location = { path: [column], at: 'key', offset: start } as const
    if (columns.indexOf(column) !== index)
      return [{ ...location, code: 'duplicate-key', message: `duplicate column ${column}` }]
    const problem = problemOf(column)
    return problem === undefined ? [] : [{ ...location, code: 'unknown-key', ...problem }]
  })
}

function unknownColumnProblem(column: string) {
  if (faqColumns.includes(column)) return undefined
  const meant = didYouMean(column, faqColumns)
  return {
    message: column === '' ? 'a column has no name' : `unknown column ${column}`,
    hint: meant === undefined ? `allowed: ${faqColumns.join(', ')}` : `did you mean ${meant}?`,
  }
}

/** Explains why `{{column}}` cannot refer to a column. */
function columnNameProblem(column: string) {
  if (column !== '' && !/[{}]/.test(column)) return undefined
  return {
    message: column === '' ? 'a column has no name' : `the name of column ${column} contains a brace`,
  }
}

function missingColumns({ columns, header }: CsvTable): ParseError[] {
  return requiredColumns
    .filter(name => !columns.includes(name))
    .map(column => ({
      code: 'missing',
      path: [column],
      message: `missing column ${column}`,
      hint: separatorHint(header) ?? `add a header line: ${faqColumns.join(',')}`,
      offset: header.start,
    }))
}

function separatorHint({ cells, raw }: CsvRecord): string | undefined {
  const other = /[;\t]/.exec(raw)?.[0]
  if (cells.length > 1 || other === undefined) return undefined
  return `separate the columns with commas, not ${other === '\t' ? 'tabs' : 'semicolons'}`
}

function recordErrors({ records, columns }: CsvTable, list: FieldPath): ParseError[] {
  return records.flatMap(({ cells, start }, index) =>
    cells.length === columns.length
      ? []
      : [{ ...cellCountError(cells, columns), path: [...list, index], offset: start }],
  )
}

/** The error of a row with more or fewer cells than the header. */
export function cellCountError(cells: readonly unknown[], columns: readonly string[]): ParseError {
  return {
    code: 'wrong-cell-count',
    message: `expected ${count(columns.length, 'cell')} as in the header, got ${cells.length}`,
    hint: cells.length > columns.length ? 'quote cells that contain commas' : undefined,
  }
}

function toEntry({ cells }: CsvRecord, columns: readonly string[]): Record<string, unknown> {
  const fields: [string, unknown][] = []
  for (const [index, column] of columns.entries()) {
    const value = cells[index]?.value ?? ''
    if (column === '' || (value === '' && !requiredColumns.includes(column))) continue
    fields.push([column, column === 'updatable' ? toBoolean(value) : value])
  }
  return Object.fromEntries(fields)
}

/** Accepts TRUE, as spreadsheets write it. Leaves other text for the check to report. */
function toBoolean(value: string): boolean | string {
  const word = value.toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : value
}

function offsetOf({ columns, header, records }: CsvTable, [index, column]: FieldPath): number | undefined {
  const record = typeof index === 'number' ? records[index] : undefined
  if (record === undefined) return header.start
  return record.cells[columns.indexOf(String(column))]?.start ?? record.start
}
