import { planBatch } from '../../../src/calls/batch/index.ts'
import { createBatchState } from '../../../src/calls/batch/state.ts'
import type { BatchFile } from '../../../src/files/formats/batch.ts'

interface PlanOptions {
  readonly now: number
  /** True once calls may have been placed. */
  readonly isRunning?: boolean
  /** Numbers that are not called. */
  readonly doNotCall?: readonly string[]
}

/** Plans a batch whose list has these columns and cells. Numbers are in E.164 form. */
export function planList(
  batch: BatchFile,
  { columns, cells }: { readonly columns: readonly string[]; readonly cells: readonly (readonly string[])[] },
  { now, isRunning = false, doNotCall = [] }: PlanOptions,
) {
  const rows = cells.map(row => ({ cells: row }))
  return planBatch({
    ...{ batch, now, isRunning, file: 'batch.yaml', usedVariables: undefined, state: createBatchState([]) },
    tables: [{ file: 'list.csv', columns, rows, positionOf: () => undefined }],
    doNotCall: new Map(doNotCall.map(number => [number, 'do-not-call.csv'])),
    readNumber: text => ({ number: text }),
  })
}
