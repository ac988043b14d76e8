/** Batch calls to lists of people: columns, plan, windows, who is called next, retries, do-not-call list, journal. Nothing here prints or asks. */
export { openBatchJournal } from './batch-journal.ts'
export type { BatchSettings } from './batch-settings.ts'
export { readBatchStatus } from './batch-status.ts'
export { batchRequest } from './call-request.ts'
export type { Person } from './contacts.ts'
export { requestChange } from './control.ts'
export { findOnDoNotCallList } from './do-not-call.ts'
export { findEarlierCalls } from './earlier-calls.ts'
export { readLocatedState } from './find-batch.ts'
export { columnSetting } from './findings.ts'
export type { BatchJournal } from './journal.ts'
export { keysInLog, reportLog, resultsOfLog } from './log-view.ts'
export { type OpenBatch, openBatch } from './open-batch.ts'
export { countPeople, describePerson, findChanges, resultsOf } from './people.ts'
export { type BatchPlan, planBatch, sendersOf } from './plan.ts'
export { batchPlanDocument } from './plan-document.ts'
export { type BatchPlanDocument, batchPlanSchema } from './plan-schema.ts'
export { prepareRun } from './prepare-run.ts'
export type { StatusCounts } from './queue.ts'
export { assertResults, personResultSchema, resultsDocument } from './results.ts'
export type { BatchRun } from './run-batch.ts'
export type { CallJob } from './run-deps.ts'
export { type BatchEvent, batchEventSchemas, ofCall, type RunEnd, runEnds } from './run-events.ts'
export { assertSameBatch, sharedFactsOf } from './shared-facts.ts'
export { openSharedJournal } from './shared-journal.ts'
export type { BatchRequest } from './state.ts'
export {
  type BatchStatusDocument,
  batchStatusDocument,
  batchStatusSchema,
  callsOf,
  statusCountsSchema,
} from './status-report.ts'
