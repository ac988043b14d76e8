/** Approvals: requests for what only a person may confirm, codes, and the limits of calls. Nothing here prints or asks. */
export { type ApprovableAction, actionSchema, argvOf, joinFlag } from './actions.ts'
export { readCode } from './code.ts'
export { requestChanged } from './errors.ts'
export { findLimit, isNumberPattern } from './limits.ts'
export { countNext, createPermit, type Grant } from './permit.ts'
export {
  type ApprovalRequest,
  openRequests,
  type RequestStatus,
  requestStatuses,
  validMs,
} from './requests.ts'
