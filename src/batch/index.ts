/** Calls to lists of people (docs/batch-calls.md). Nothing here prints or asks. */
export { openBatchJournal, readBatchState } from './batch-journal.ts'
export { columnUses } from './columns.ts'
export { type Person, variablesOf } from './contacts.ts'
export type { BatchFindings } from './findings.ts'
export { type BatchSettings, type OpenBatch, openBatch } from './open-batch.ts'
export { type BatchPlan, planBatch, sendersOf } from './plan.ts'
export { type BatchEvent, type RunEnd, runBatch } from './run-batch.ts'
export { type BatchState, type PersonStatus, statusOf } from './state.ts'
