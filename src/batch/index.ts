/** Calls to lists of people (docs/batch-calls.md). Nothing here prints or asks. */
export { columnUses } from './columns.ts'
export { type Person, variablesOf } from './contacts.ts'
export type { BatchFindings } from './findings.ts'
export { type BatchSettings, type OpenBatch, openBatch } from './open-batch.ts'
export { type BatchPlan, planBatch, sendersOf } from './plan.ts'
