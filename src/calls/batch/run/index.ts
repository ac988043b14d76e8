/** A run of a batch: placing the calls that are due, handling their events, and reporting both. */
export { batchRequest } from './call-request.ts'
export { prepareRun } from './prepare-run.ts'
export type { BatchRun } from './run-batch.ts'
export type { CallJob } from './run-deps.ts'
export { type BatchEvent, batchEventSchemas, ofCall, type RunEnd, runEnds } from './run-events.ts'
export { assertSameBatch, sharedFactsOf } from './shared-facts.ts'
