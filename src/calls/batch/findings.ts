import type { ColumnUse } from '../../files/formats/batch.ts'
import type { Diagnostic, Table } from '../../files/source/index.ts'
import type { RowProblem } from '../../files/text/index.ts'
import type { Immutable } from '../../lib/json.ts'
import type { NumberProblem, WrittenNumber } from '../place/index.ts'

/** Codes of findings about a batch and its rows, with their details. */
export type BatchFindings = Immutable<{
  'missing-number': { columns: string[] }
  'spreadsheet-number': WrittenNumber
  'lost-plus': WrittenNumber
  'number-extension': WrittenNumber
  'several-numbers': WrittenNumber
  'two-numbers': WrittenNumber
  'possible-date': WrittenNumber
  'invalid-number': WrittenNumber
  'lost-zero': { written: string; number: string; country: string | undefined }
  /** Position of the row that stays. */
  'duplicate-person': { first: string; same: 'id' | 'number' }
  'marked-do-not-call': { column: string; written: string }
  'no-consent': { column: string; written: string }
  'unclear-consent': { column: string; written: string }
  'on-do-not-call-list': { number: string; list: string }
  'missing-timezone': { column: string | undefined }
  'unknown-timezone': { written: string }
  /** The window never opens for this time zone, or not before the end of the batch. */
  'window-stays-closed': { zone: string; until: string | undefined }
  'spreadsheet-error': { column: string; written: string }
  'shortened-number': { column: string; written: string }
  'unset-variable': { variable: string; column: string | undefined }
  /** A heading that is a number, and the line of a row that looks like the header. */
  'no-number-column': {
    columns: string[]
    number: string | undefined
    header: number | undefined
    isDoNotCall: boolean
  }
  'several-number-columns': { columns: string[] }
  'several-columns': { use: ColumnUse; columns: string[] }
  /** A heading that may name one or the other. */
  'two-readings': { column: string; uses: ColumnUse[] }
  'no-such-column': { use: ColumnUse; column: string; columns: string[] }
  'unused-column': { column: string; used: string[] }
  'left-to-service': { expressions: string[] }
  'no-rows': Record<never, never>
  'no-window': Record<never, never>
  'end-has-passed': { until: string }
  'not-a-time': { written: string }
  'unknown-country': { country: string }
  'invalid-sender': WrittenNumber & { problem: NumberProblem }
  'fewer-calls-than-people': { calls: number; people: number; limit: 'limit.calls' | 'from' }
  'unreadable-do-not-call': { written: string }
  /** 1-based; cells of this column may be numbers. */
  'no-heading-do-not-call': { column: number }
  'no-number-do-not-call': Record<never, never>
  'uncertain-do-not-call': { written: string; readings: readonly string[] }
  'check-with-variable': Record<never, never>
  'check-not-found': { program: string }
  'check-not-executable': { program: string }
}>

export type BatchFindingCode = keyof BatchFindings

/** Finding about a batch or a row. Its sentence: see BatchFindings. */
export function batchFinding<Code extends BatchFindingCode>(
  location: Pick<Diagnostic, 'file' | 'position'> & Partial<Diagnostic>,
  code: Code,
  details: BatchFindings[Code],
): Diagnostic {
  return { code, severity: 'error', path: [], at: 'value', ...location, message: code, details }
}

/** Finding about a row that cannot be used. */
export function rowFinding(
  { file, positionOf }: Pick<Table, 'file' | 'positionOf'>,
  row: number,
  { cell, ...problem }: RowProblem,
): Diagnostic {
  return { severity: 'error', at: 'value', ...problem, file, position: positionOf(row, cell), path: [row] }
}
