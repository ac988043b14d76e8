import type { Document } from 'yaml'
import type { FieldPath } from '../interface/finding.ts'
import type { ParseError } from './text-position.ts'

/** What a parser makes of a text. Offsets count the text's UTF-16 code units. */
export interface Parsed {
  readonly value: unknown
  readonly flaws: readonly ParseError[]
  readonly document?: Document
  readonly csv?: CsvTable
  offsetOf(path: FieldPath, at: 'key' | 'value'): number | undefined
  /** The characters of a scalar that is written without quotes. */
  writtenAt?(path: FieldPath): string | undefined
}

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

/** A FAQ file with a header. `records[i]` is `value.faq[i]`; empty lines are left out. */
export interface CsvTable {
  readonly columns: readonly string[]
  readonly header: CsvRecord
  readonly records: readonly CsvRecord[]
}
