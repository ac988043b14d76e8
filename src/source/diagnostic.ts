import type { FieldPath, Finding } from '../interface/finding.ts'
import { CallwrightError } from '../lib/error.ts'
import { count } from '../lib/text/count.ts'

/** Where in a text something stands; both count from 1, columns in UTF-16 code units as editors do. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A finding with its place in a file. A file that cannot be read at all has no position. */
export interface Diagnostic extends Finding {
  readonly file: string
  readonly position?: Position | undefined
  /** What may be meant. */
  readonly near?: string
}

/** `assistants/a.yaml:12:14`; the file alone where the place is not known. */
export function placeOf({ file, position }: Pick<Diagnostic, 'file' | 'position'>): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`
}

/** What stands first in a file comes first. */
export function byPosition(
  { position: one }: Pick<Diagnostic, 'position'>,
  { position: other }: Pick<Diagnostic, 'position'>,
): number {
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0)
}

/** Hints that name a flag or a command: their words stand in src/messages/words.ts. */
export type SourceHint =
  | 'name-kind'
  | 'name-kind-or-folder'
  | 'allow-outside'
  | 'allow-hidden'
  | 'make-project'

/** Input files that do not pass: exit 3, all findings of all files, not the first. */
export class InvalidInput extends CallwrightError {
  readonly diagnostics: readonly Diagnostic[]
  /** What was not done. */
  readonly undone: string

  constructor(diagnostics: readonly Diagnostic[], undone = 'nothing was sent') {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const files = new Set(errors.map(({ file }) => file)).size
    super('invalid', `${count(errors.length, 'error')} in ${count(files, 'file')}; ${undone}`, {
      details: { diagnostics },
    })
    this.diagnostics = diagnostics
    this.undone = undone
  }
}

/** What a parser makes of a text. Offsets count the text's UTF-16 code units. */
export interface Parsed {
  readonly value: unknown
  readonly flaws: readonly ParseError[]
  /** The records of a CSV file. */
  readonly csv?: CsvTable
  /** Where a field's key or value begins; the nearest existing ancestor stands in for a missing one. */
  offsetOf(path: FieldPath, at: 'key' | 'value'): number | undefined
  /** The characters of a scalar that is written without quotes, as a YAML number. */
  writtenAt?(path: FieldPath): string | undefined
}

/** What a parser makes of a text that holds no value. */
export function unusable(...flaws: readonly ParseError[]): Parsed {
  return { value: undefined, flaws, offsetOf: () => undefined }
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

/** Something wrong at a place in a text. Without an offset it is about the whole file. */
export interface ParseError extends Partial<Finding> {
  readonly code: string
  readonly message: string
  readonly offset?: number | undefined
}

/** Levels of a document: deeper than any resource. */
export const maxDepth = 100

export const emptyFile: ParseError = {
  code: 'empty-file',
  message: 'the file holds no value, only comments or markers',
}

/** Parsers disagree about them: some take the whole file for one line. */
export const loneReturns: ParseError = {
  code: 'line-ends',
  message: 'the lines end with a carriage return alone (CR)',
  hint: 'save the file with line feeds (LF)',
}

export function tooDeep(offset: number): ParseError {
  return {
    code: 'too-deep',
    message: `nested deeper than ${maxDepth} levels`,
    hint: 'no resource needs this; is it the right file?',
    offset,
  }
}

export const byteOrderMark = '\uFEFF'

/** Offsets of a text → line and column, both from 1. Lines are counted at the first question, then searched by halves. */
export function lineIndex(text: string): (offset: number) => Position {
  let starts: Uint32Array | undefined
  return offset => {
    starts ??= lineStarts(text)
    const line = lastAtOrBefore(starts, offset)
    const start = starts[line] ?? 0
    // Editors do not show a byte order mark, so it takes no column.
    const hidden = line === 0 && offset > 0 && text.startsWith(byteOrderMark) ? 1 : 0
    return { line: line + 1, column: offset - start + 1 - hidden }
  }
}

function lineStarts(text: string): Uint32Array {
  let lines = 1
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 1
  const starts = new Uint32Array(lines)
  let line = 1
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts[line++] = end + 1
  return starts
}

function lastAtOrBefore(starts: Uint32Array, offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}
