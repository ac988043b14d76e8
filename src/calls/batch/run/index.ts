/** A run of a batch: placing the calls that are due, handling their events, and reporting both. */
export { prepareRun } from './prepare-run.ts'
export type { BatchRun } from './run-batch.ts'
export { type BatchEvent, batchEventSchemas, ofCall, type RunEnd, runEnds } from './run-events.ts'
