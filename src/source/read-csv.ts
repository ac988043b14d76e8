import { CsvError, parse } from 'csv-parse/sync'
import type { FieldPath } from '../errors.ts'
import { didYouMean } from '../interface/check.ts'
import type { Parsed } from './read-source.ts'
import { byteOrderMark, type Flaw } from './text-position.ts'

/** One cell; the offsets include its quotes. */
export interface CsvCell {
  readonly value: string
  readonly start: number
  readonly end: number
  readonly quoted: boolean
}

/** One record as it stands in the file; the offsets and `raw` leave out the line end. */
export interface CsvRecord {
  readonly start: number
  readonly end: number
  readonly raw: string
  readonly cells: readonly CsvCell[]
}

/** A FAQ file with a header. `records[i]` is `value.faq[i]`. */
export interface CsvTable {
  readonly columns: readonly string[]
  readonly header: CsvRecord
  readonly records: readonly CsvRecord[]
}

const faqColumns = ['id', 'question', 'answer', 'category', 'updatable'] as const
const optionalColumns = new Set<string>(['id', 'category', 'updatable'])

/**
 * FAQ entries from a CSV file (RFC 4180) whose first record names the columns id, question, answer, category and
 * updatable, in any order. An empty optional cell is a field that is not given.
 */
export function readCsv(text: string): Parsed {
  const read = readRecords(text)
  if ('flaw' in read) return { value: undefined, flaws: [read.flaw], offsetOf: () => undefined }
  const [header, ...records] = read.records
  if (header === undefined) {
    return { value: undefined, flaws: [{ code: 'empty-file', message: 'the file is empty' }], offsetOf: () => undefined }
  }
  const columns = header.cells.map(({ value }) => value.trim())
  const table: CsvTable = { columns, header, records }
  const flaws = [...headerFlaws(table), ...records.flatMap((record, index) => recordFlaws(record, index, columns))]
  const faq = records.map(record => toEntry(record, columns))
  return { value: { faq }, flaws, csv: table, offsetOf: path => offsetOf(table, path) }
}

function readRecords(text: string): { records: CsvRecord[] } | { flaw: Flaw } {
  const quoted: boolean[][] = [[]]
  try {
    const parsed = parse(text, {
      bom: true,
      raw: true,
      info: true,
      relax_column_count: true,
      cast(value, { index, quoting }) {
        if (index === 0 && quoted.at(-1)?.length !== 0) quoted.push([])
        quoted.at(-1)?.push(quoting)
        return value
      },
    })
    return { records: withOffsets(text, parsed as unknown as RawRecord[], quoted) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { flaw: brokenCsv(error, text) }
  }
}

interface RawRecord {
  readonly raw: string
  readonly record: readonly string[]
}

function withOffsets(text: string, parsed: readonly RawRecord[], quoted: readonly boolean[][]): CsvRecord[] {
  void text
  void quoted
  void parsed
  return []
}

function brokenCsv(_error: CsvError, _text: string): Flaw {
  return { code: 'broken-csv', message: '' }
}

function headerFlaws(_table: CsvTable): Flaw[] {
  void faqColumns
  void didYouMean
  void byteOrderMark
  return []
}

function recordFlaws(_record: CsvRecord, _index: number, _columns: readonly string[]): Flaw[] {
  return []
}

function toEntry(_record: CsvRecord, _columns: readonly string[]): Record<string, unknown> {
  void optionalColumns
  return {}
}

function offsetOf(_table: CsvTable, _path: FieldPath): number | undefined {
  return undefined
}
