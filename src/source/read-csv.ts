import { CsvError, parse } from 'csv-parse/sync'
import type { FieldPath } from '../interface/finding.ts'
import { count } from '../lib/text/count.ts'
import { didYouMean } from '../lib/text/did-you-mean.ts'
import {
  byteOrderMark,
  type CsvCell,
  type CsvRecord,
  type CsvTable,
  type Parsed,
  type ParseError,
  unusable,
} from './diagnostic.ts'

const requiredColumns = ['question', 'answer']
const optionalColumns = ['id', 'category', 'updatable']
const faqColumns = [...requiredColumns, ...optionalColumns]

/**
 * FAQ entries from a CSV file (RFC 4180) whose first record names the columns id, question, answer, category and
 * updatable, in any order. An empty optional cell is a field that is not given.
 */
export function readCsv(text: string): Parsed {
  return readWith(text, table => {
    const { records, columns } = table
    const missing = missingColumns(table)
    const ofHeader = [...columnFlaws(table, unknownColumn), ...missing]
    // Without its columns every record would be wrong in the same way.
    if (missing.length > 0) return unusable(...ofHeader)
    return {
      value: { faq: records.map(record => toEntry(record, columns)) },
      flaws: [...ofHeader, ...recordFlaws(table, ['faq'])],
      csv: table,
      offsetOf: ([list, ...path]) => offsetOf(table, list === 'faq' ? path : []),
    }
  })
}

/** A CSV file (RFC 4180) of any columns, whose first record names them: a list of its records, with each cell as text. */
export function readTable(text: string): Parsed {
  return readWith(text, table => ({
    value: table.records.map(({ cells }) =>
      Object.fromEntries(table.columns.map((column, index) => [column, cells[index]?.value ?? ''])),
    ),
    flaws: [...columnFlaws(table, unusableName), ...recordFlaws(table, [])],
    csv: table,
    offsetOf: path => offsetOf(table, path),
  }))
}

function readWith(text: string, read: (table: CsvTable) => Parsed): Parsed {
  const { records, error } = readRecords(text)
  const [header, ...others] = records
  if (error !== undefined) return unusable(error)
  if (header === undefined) return unusable({ code: 'empty-file', message: 'the file is empty' })
  return read({ header, records: others, columns: header.cells.map(({ value }) => value.trim()) })
}

/**
 * The parser gives each cell's value and whether it was quoted; both together tell how long the cell is in the file,
 * which the parser itself does not say and which splicing needs to the character.
 */
function readRecords(text: string): { records: CsvRecord[]; error?: ParseError } {
  const lines: CsvCell[][] = []
  let offset = text.startsWith(byteOrderMark) ? 1 : 0
  try {
    parse(text, {
      bom: true,
      relax_column_count: true,
      // All three, so that a file of mixed line ends is read as editors show it.
      record_delimiter: ['\r\n', '\n', '\r'],
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
    return { records: [], error: brokenCsv(error, afterSeparator(text, offset, lines.length)) }
  }
  return { records: lines.filter(cells => !isEmptyLine(cells)).map(cells => toRecord(text, cells)) }
}

function afterLineEnd(text: string, offset: number): number {
  return offset + (text.startsWith('\r\n', offset) ? 2 : 1)
}

/** Where the cell that the parser gave up on begins. */
function afterSeparator(text: string, offset: number, lines: number): number {
  if (lines === 0) return offset
  return text[offset] === ',' ? offset + 1 : Math.min(afterLineEnd(text, offset), text.length)
}

function isEmptyLine([first, ...rest]: readonly CsvCell[]): boolean {
  return first === undefined || (rest.length === 0 && first.value.trim() === '' && !first.quoted)
}

function toRecord(text: string, cells: readonly CsvCell[]): CsvRecord {
  const start = cells[0]?.start ?? 0
  const end = cells.at(-1)?.end ?? start
  return { start, end, raw: text.slice(start, end), cells }
}

function brokenCsv({ code }: CsvError, offset: number): ParseError {
  const [message, hint] = csvProblems[code] ?? [`this record cannot be read (${code})`]
  return { code: 'broken-csv', message, hint, offset }
}

const csvProblems: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  CSV_QUOTE_NOT_CLOSED: ['the quote that opens this cell is never closed'],
  CSV_INVALID_CLOSING_QUOTE: [
    'text follows the closing quote of this cell',
    'write a quote inside a quoted cell twice: ""',
  ],
  INVALID_OPENING_QUOTE: [
    'a quote stands inside a cell that does not begin with one',
    'put the whole cell in quotes, and write each quote inside twice: ""',
  ],
}

/** What is wrong with the names of the columns: one that is given twice, and what `problemOf` finds. */
function columnFlaws(
  { columns, header }: CsvTable,
  problemOf: (column: string) => Pick<ParseError, 'message' | 'hint'> | undefined,
): ParseError[] {
  return header.cells.flatMap(({ start }, index): ParseError[] => {
    const column = columns[index] ?? ''
    const place = { path: [column], at: 'key', offset: start } as const
    if (columns.indexOf(column) !== index)
      return [{ ...place, code: 'duplicate-key', message: `the column ${column} is given twice` }]
    const problem = problemOf(column)
    return problem === undefined ? [] : [{ ...place, code: 'unknown-key', ...problem }]
  })
}

function unknownColumn(column: string) {
  if (faqColumns.includes(column)) return undefined
  const meant = didYouMean(column, faqColumns)
  return {
    message: `${column === '' ? 'a column without a name' : column} is not a known column`,
    hint: meant === undefined ? `allowed: ${faqColumns.join(', ')}` : `did you mean ${meant}?`,
  }
}

/** What keeps a column from being named in `{{column}}`. */
function unusableName(column: string) {
  if (column !== '' && !/[{}]/.test(column)) return undefined
  return {
    message: column === '' ? 'a column has no name' : `the name of the column ${column} holds a brace`,
  }
}

function missingColumns({ columns, header }: CsvTable): ParseError[] {
  return requiredColumns
    .filter(name => !columns.includes(name))
    .map(column => ({
      code: 'missing',
      path: [column],
      message: `the column ${column} is missing`,
      hint: separatorHint(header) ?? `name the columns in the first line: ${faqColumns.join(',')}`,
      offset: header.start,
    }))
}

function separatorHint({ cells, raw }: CsvRecord): string | undefined {
  const other = /[;\t]/.exec(raw)?.[0]
  if (cells.length > 1 || other === undefined) return undefined
  return `separate the columns with commas, not with ${other === '\t' ? 'tabs' : 'semicolons'}`
}

function recordFlaws({ records, columns }: CsvTable, list: FieldPath): ParseError[] {
  return records.flatMap(({ cells, start }, index) => {
    if (cells.length === columns.length) return []
    const message = `this record has ${count(cells.length, 'cell')}, but the header has ${columns.length}`
    const hint = cells.length > columns.length ? 'put a cell that holds a comma in quotes' : undefined
    return [{ code: 'wrong-cell-count', path: [...list, index], message, hint, offset: start }]
  })
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

/** Spreadsheets write TRUE. Anything else stays text, for the check to report. */
function toBoolean(value: string): boolean | string {
  const word = value.toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : value
}

function offsetOf({ columns, header, records }: CsvTable, [index, column]: FieldPath): number | undefined {
  const record = typeof index === 'number' ? records[index] : undefined
  if (record === undefined) return header.start
  return record.cells[columns.indexOf(String(column))]?.start ?? record.start
}
