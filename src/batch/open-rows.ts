import type { BatchFile } from '../interface/batch.ts'
import { type Diagnostic, loadListReader } from '../source/index.ts'
import { readBatchNumbers } from './batch-numbers.ts'
import { collectNumbers } from './do-not-call.ts'
import type { PlanInput } from './plan.ts'

/** A batch whose people and settings come from a program, ready to be planned. */
export interface RowsBatch extends Omit<PlanInput, 'now' | 'isRunning' | 'state'> {
  /** Errors that prevent the whole batch. */
  readonly problems: readonly Diagnostic[]
}

interface Rows {
  readonly people: readonly unknown[]
  /** Numbers that are never called. */
  readonly doNotCall?: readonly string[] | undefined
  readonly usedVariables?: readonly string[] | undefined
}

/** Files of findings about rows, and about the batch itself. */
const places = { people: 'people', doNotCall: 'doNotCall', settings: 'options' } as const

/** Opens a batch of rows. Reads and writes no files. */
export async function openRows(
  settings: Omit<BatchFile, 'list'>,
  { people, doNotCall = [], usedVariables }: Rows,
): Promise<RowsBatch> {
  const { tableOfRows } = await loadListReader()
  const numbers = await readBatchNumbers(settings, places.settings)
  const { readNumber } = numbers
  const listed = tableOfRows(
    places.doNotCall,
    doNotCall.map(number => ({ number })),
  )
  const excluded = collectNumbers(
    doNotCall.length === 0 ? [] : [{ table: listed, diagnostics: [] }],
    readNumber,
  )
  return {
    ...{ readNumber, usedVariables, doNotCall: excluded.numbers, file: places.settings },
    batch: { ...settings, list: places.people, from: numbers.from },
    tables: [tableOfRows(places.people, people)],
    problems: [...numbers.problems, ...excluded.problems],
  }
}
