/** Counts, status and results of the people of a batch. */

export type { BatchChanges } from '../batch-record.ts'
export { readBatchStatus } from './batch-status.ts'
export { keysInLog, reportLog, resultsOfLog } from './log-view.ts'
export { countPeople, describePerson, findChanges, resultsOf } from './people.ts'
export { assertResults, keepResults, personResultSchema, resultsDocument } from './results.ts'
export {
  type BatchStatusDocument,
  batchStatusDocument,
  batchStatusSchema,
  callsOf,
  statusCountsSchema,
} from './status-report.ts'
export { keepStatusSnapshot } from './status-snapshot.ts'
