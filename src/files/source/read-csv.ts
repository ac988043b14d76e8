import type { FieldPath } from '../../interface/finding.ts'
import { lazy } from '../../lib/lazy.ts'
import { listed } from '../../lib/text/count.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import {
  findColumn,
  findHeaderRow,
  foldHeading,
  loadTableReader,
  type Table,
  type TableRow,
  usesOfHeading,
} from '../tables/index.ts'
import { byteOrderMark, type CsvTable, failedParse, type Parsed, type ParseError } from './diagnostic.ts'

const requiredColumns = ['question', 'answer'] as const
const faqColumns = [...requiredColumns, 'id', 'category', 'updatable'] as const
type FaqColumn = (typeof faqColumns)[number]

export interface FaqTableOptions {
  /** Keeps the columns of a FAQ file that are not fields of an entry. */
  readonly keepsColumns?: boolean | undefined
  /** Reads the file as a FAQ file, whatever its extension, with these headings of fields. */
  readonly faqColumns?: Readonly<Record<string, string>> | undefined
}

/**
 * Reads FAQ entries from a table with `faqColumns` in any order, under headings of several languages. Other columns are ignored with a
 * warning, or become fields with `keepsColumns`. An empty optional cell is a missing field.
 */
export async function readFaqTable(
  text: string,
  { keepsColumns = false, faqColumns = {} }: FaqTableOptions = {},
): Promise<Parsed> {
  const { table, csv, errors, offsetOf } = await openTable(text)
  if (table.columns.length === 0) return failedParse(...errors)
  const fieldIn = createFieldFinder(faqColumns, table.columns)
  const fields = table.columns.map(heading => fieldIn(heading) ?? (keepsColumns ? heading : ''))
  const missing = requiredColumns.filter(field => !fields.includes(field))
  const title = missing.length === 0 ? undefined : headerHint(table, createHeaderTest(faqColumns))
  // Every other problem of the first line follows from this one.
  if (title !== undefined) return failedParse(missingColumns(missing, title, offsetOf(-1)))
  const headerErrors = [
    ...errors,
    ...unknownHeadings(table.columns, faqColumns, offsetOf(-1)),
    ...duplicateFields(table.columns, fields, offsetOf),
  ]
  if (missing.length > 0) {
    const unnamed = missing.filter(field => !Object.hasOwn(faqColumns, field))
    const parseErrors =
      unnamed.length === 0 ? [] : [missingColumns(unnamed, findMeantColumn(unnamed, table), offsetOf(-1))]
    return failedParse(...headerErrors, ...parseErrors)
  }
  const rows = Array.from({ length: table.size }, (_, row) => table.rowAt(row))
  return {
    value: { faq: rows.map(({ cells }) => toEntry(cells, fields)) },
    errors: [
      ...headerErrors,
      ...unusedColumns(table.columns, fields, offsetOf),
      ...rowErrors(rows, ['faq'], offsetOf),
      ...(rows.length === 0 ? [withoutEntries] : []),
    ],
    csv: { ...csv, columns: fields },
    offsetOf([list, row, field]) {
      if (list !== 'faq' || typeof row !== 'number' || row >= table.size) return offsetOf(-1)
      return offsetOf(row, fields.indexOf(String(field)))
    },
  }
}

/** Reads a table with any header as a list of records of strings. `usedNames` are those of columns that its header may have. */
export async function readRowTable(text: string, usedNames: readonly string[] = []): Promise<Parsed> {
  const { table, csv, errors, offsetOf } = await openTable(text)
  const { columns } = table
  if (columns.length === 0) return failedParse(...errors)
  const isHeader = (cells: readonly string[]) => usedNames.some(name => findColumn(name, cells) !== undefined)
  const hint = isHeader(columns) ? undefined : headerHint(table, isHeader)
  if (hint !== undefined)
    return failedParse({
      code: 'missing',
      message: 'no column has a name that is used',
      hint,
      offset: offsetOf(-1),
    })
  const rows = Array.from({ length: table.size }, (_, row) => table.rowAt(row))
  return {
    value: rows.map(({ cells }) =>
      Object.fromEntries(
        columns.flatMap((column, index) => (column === '' ? [] : [[column, cells[index] ?? '']])),
      ),
    ),
    errors: [...errors, ...bracesIn(columns, offsetOf), ...rowErrors(rows, [], offsetOf)],
    csv,
    offsetOf: ([row, column]) =>
      typeof row === 'number' && row < table.size
        ? offsetOf(row, columns.indexOf(String(column)))
        : offsetOf(-1),
  }
}

const withoutEntries: ParseError = {
  ...{ code: 'no-rows', severity: 'warning' },
  message: 'the table has a header but no entries',
  hint: 'write a row below the header for each entry',
}

type OffsetOf = (row: number, cell?: number) => number

async function openTable(text: string) {
  const mark = text.startsWith(byteOrderMark) ? 1 : 0
  const utf8 = Buffer.from(text.slice(mark))
  const { readTable } = await loadTableReader()
  const table = await readTable(utf8)
  const textOf = (start: number, end: number) => utf8.toString('utf8', start, end)
  /** Offset of each record in the text, the header first. */
  const starts = lazy(() => {
    const offsets = new Uint32Array(table.size + 1)
    let [offset, before] = [mark, 0]
    for (const index of offsets.keys()) {
      const { start } = table.recordAt(index - 1)
      offset += textOf(before, start).length
      before = start
      offsets[index] = offset
    }
    return offsets
  })
  const csv: CsvTable = {
    separator: table.separator,
    columns: table.columns,
    size: table.size,
    extentsOf(row) {
      const { start, end, cells } = table.recordAt(row)
      const base = starts()[row + 1] ?? 0
      return {
        end: base + textOf(start, end).length,
        cells: cells.map(cell => ({ start: base + cell.start, end: base + cell.end })),
      }
    },
  }
  const offsetOf: OffsetOf = (row, cell = -1) =>
    csv.extentsOf(row).cells[cell]?.start ?? starts()[row + 1] ?? 0
  const errors: ParseError[] = [...table.errors, ...table.warnings]
  return { table, csv, errors, offsetOf }
}

/** `answer` for `Answer` and its translations. The id is assigned by the service, and a number of a row in other tables. */
function fieldOf(heading: string): FaqColumn | undefined {
  const folded = foldHeading(heading)
  const named = faqColumns.find(column => column === folded)
  const uses = usesOfHeading(heading)
  return named ?? faqColumns.find(column => column !== 'id' && uses.some(use => use === column))
}

/** Columns that are named for a field are that field, and no other column is. */
function createFieldFinder(named: Readonly<Record<string, string>>, columns: readonly string[]) {
  const folded = columns.map(foldHeading)
  // A row of the letters of a spreadsheet's columns names none, and next to words a letter is something else.
  const ignoresLetters =
    ['a', 'b'].every(letter => folded.includes(letter)) ||
    folded.some(column => column.length > 1 && requiredColumns.some(field => field === fieldOf(column)))
  const byHeading = new Map(Object.entries(named).map(([field, heading]) => [foldHeading(heading), field]))
  return (heading: string) => {
    const namedField = byHeading.get(foldHeading(heading))
    const field =
      namedField ?? (ignoresLetters && foldHeading(heading).length === 1 ? undefined : fieldOf(heading))
    return namedField === undefined && field !== undefined && Object.hasOwn(named, field) ? undefined : field
  }
}

function unknownHeadings(
  columns: readonly string[],
  named: Readonly<Record<string, string>>,
  offset: number,
): ParseError[] {
  const foldedColumns = columns.map(foldHeading)
  return Object.values(named).flatMap(heading =>
    foldedColumns.includes(foldHeading(heading))
      ? []
      : [
          {
            ...{ code: 'no-such-column', message: `column ${heading} not found`, offset },
            hint: `columns: ${listed(columns.filter(isNamed))}`,
          },
        ],
  )
}

function duplicateFields(
  columns: readonly string[],
  fields: readonly string[],
  offsetOf: OffsetOf,
): ParseError[] {
  return faqColumns.flatMap((field): ParseError[] => {
    const [first = -1, ...others] = fields.flatMap((candidate, index) => (candidate === field ? [index] : []))
    // The table has an error for the same heading twice.
    const other = others.find(index => columns[index] !== columns[first])
    if (other === undefined) return []
    return [
      {
        ...{ code: 'duplicate-key', path: [field], at: 'key', offset: offsetOf(-1, other) },
        message: `columns ${columns[first]} and ${columns[other]} may both be the ${field}`,
        hint: 'rename the one that is not',
      },
    ]
  })
}

function headerHint(
  { size, rowAt, positionOf }: Table,
  isHeader: (cells: readonly string[]) => boolean,
): string | undefined {
  const row = findHeaderRow({ length: size, at: rowAt }, isHeader)
  return row === undefined
    ? undefined
    : `line ${positionOf(row).line} looks like the header: remove the lines above it`
}

/** Creates a function that tells whether a row has the columns that an entry needs. */
function createHeaderTest(named: Readonly<Record<string, string>>) {
  return (cells: readonly string[]) =>
    requiredColumns.every(field => {
      const heading = named[field]
      return cells.some(cell =>
        heading === undefined ? fieldOf(cell) === field : foldHeading(cell) === foldHeading(heading),
      )
    })
}

function missingColumns(fields: readonly string[], hint: string, offset: number): ParseError {
  const message = `missing column${fields.length === 1 ? '' : 's'} ${fields.join(' and ')}`
  return { code: 'missing', path: fields.slice(0, 1), message, hint, offset }
}

function findMeantColumn(fields: readonly string[], { columns, separator }: Table): string {
  const lowerCase = columns.map(column => column.toLowerCase())
  for (const field of fields) {
    const suggestion = didYouMean(field, lowerCase)
    if (suggestion !== undefined)
      return `rename column ${columns[lowerCase.indexOf(suggestion)]} if it is the ${field}`
  }
  return `the first line must name the columns, such as question${separator}answer; it has ${listed(columns.filter(isNamed), 5)}`
}

const isNamed = (column: string) => column !== ''

function unusedColumns(
  columns: readonly string[],
  fields: readonly string[],
  offsetOf: OffsetOf,
): ParseError[] {
  const unused = columns.filter((column, index) => column !== '' && fields[index] === '')
  const [first] = unused
  if (first === undefined) return []
  const missing = faqColumns.filter(column => !fields.includes(column))
  const typed = unused.flatMap(column => {
    const suggestion = didYouMean(column, missing)
    return suggestion === undefined ? [] : [`did you mean ${suggestion} by ${column}?`]
  })
  return [
    {
      ...{ code: 'unknown-key', severity: 'warning', path: [first], at: 'key' },
      message: `${unused.length === 1 ? 'column' : 'columns'} ${listed(unused)} ${unused.length === 1 ? 'is' : 'are'} not used`,
      hint: typed[0] ?? `an entry has ${faqColumns.join(', ')}`,
      offset: offsetOf(-1, columns.indexOf(first)),
    },
  ]
}

/** Reports columns that `{{column}}` cannot refer to. */
function bracesIn(columns: readonly string[], offsetOf: OffsetOf): ParseError[] {
  return columns.flatMap((column, index) =>
    /[{}]/.test(column)
      ? [
          {
            ...{ code: 'unknown-key', path: [column], at: 'key', offset: offsetOf(-1, index) },
            message: `the name of column ${column} contains a brace`,
            hint: 'rename the column without { and }',
          },
        ]
      : [],
  )
}

function rowErrors(rows: readonly TableRow[], list: FieldPath, offsetOf: OffsetOf): ParseError[] {
  return rows.flatMap(({ problem }, row) => {
    if (problem === undefined) return []
    const { cell, ...error } = problem
    return [{ ...error, path: [...list, row], offset: offsetOf(row, cell) }]
  })
}

function toEntry(cells: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const entries = fields.flatMap((field, index): [string, unknown][] => {
    const value = cells[index] ?? ''
    const isRequired = requiredColumns.some(required => required === field)
    if (field === '' || (value === '' && !isRequired)) return []
    return [[field, field === 'updatable' ? toBoolean(value) : value]]
  })
  return Object.fromEntries(entries)
}

/** Accepts TRUE, as spreadsheets write it. Leaves other text for the check to report. */
function toBoolean(value: string): boolean | string {
  const word = value.toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : value
}
