import type { FieldPath, Finding } from '../../interface/finding.ts'
import { CallyardError, type CommandWords } from '../../lib/error.ts'
import { count } from '../../lib/text/count.ts'
import type { Extent } from '../tables/index.ts'
import type { Position, Positioned } from '../text/index.ts'

export { byteOrderMark, createLineIndex, type Position } from '../text/index.ts'

interface FileLocation extends Positioned {
  readonly file: string
}

/** A finding in a file. */
export interface Diagnostic extends Finding, FileLocation {}

/** `assistants/a.yaml:12:14`, or only the file if the position is unknown. */
export function formatLocation({ file, position }: FileLocation): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`
}

/** Invalid input files (exit code 3), with all findings of all files. */
export class InvalidInput extends CallyardError {
  readonly diagnostics: readonly Diagnostic[]
  /** End of the message: `nothing was sent`. */
  readonly consequence: string

  constructor(
    diagnostics: readonly Diagnostic[],
    undone = 'nothing was sent',
    next: readonly CommandWords[] = [],
  ) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const files = new Set(errors.map(({ file }) => file)).size
    const summary = errors.length === 0 ? '' : `${count(errors.length, 'error')} in ${count(files, 'file')}; `
    super('invalid', `${summary}${undone}`, {
      details: { diagnostics },
      next,
    })
    this.diagnostics = diagnostics
    this.consequence = undone
  }
}

/** Offsets of the fields of a file, in UTF-16 code units. */
export interface FieldOffsets {
  /** Returns where the key or value of a field begins, or for a missing field its nearest existing ancestor. */
  offsetOf(path: FieldPath, at: 'key' | 'value'): number | undefined
  /** Returns the text of an unquoted scalar, such as a YAML number. */
  rawTextAt?(path: FieldPath): string | undefined
}

/** Result of a parser. */
export interface Parsed extends FieldOffsets {
  readonly value: unknown
  readonly errors: readonly ParseError[]
  readonly csv?: CsvTable
}

export function failedParse(...errors: readonly ParseError[]): Parsed {
  return { value: undefined, errors, offsetOf: () => undefined }
}

/** A table with a header. Rows are those of the value; blank ones are not counted. */
export interface CsvTable {
  readonly separator: string
  /** Headings, or in a FAQ file the fields; empty text for a column that is not used. */
  readonly columns: readonly string[]
  readonly size: number
  /** Returns where a row ends, without its line end, and where its cells are, quotes included. The header is row -1. */
  extentsOf(row: number): { readonly end: number; readonly cells: readonly Extent[] }
}

/** A problem in a text; without an offset, in the whole file. */
export interface ParseError extends Partial<Finding> {
  readonly code: string
  readonly message: string
  readonly offset?: number | undefined
  /** Instead of an offset. */
  readonly position?: Position | undefined
}

/** More nesting levels than any resource has. */
export const maxDepth = 100

/** Hint for an empty file. */
export const writeFields = 'write its fields, or remove the file'

export const emptyFile: ParseError = {
  code: 'empty-file',
  message: 'the file has no content except comments or document markers',
  hint: writeFields,
}

/** Rejected because parsers disagree: some read the whole file as one line. */
export const loneCarriageReturns: ParseError = {
  code: 'line-ends',
  message: 'lines end with a carriage return (CR) only',
  hint: 'save the file with LF line endings',
}

export function tooDeep(offset: number): ParseError {
  return {
    code: 'too-deep',
    message: `nested deeper than ${maxDepth} levels`,
    hint: 'no resource nests this deeply; check that this is the right file',
    offset,
  }
}
