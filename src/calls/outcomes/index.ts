/** From webhook events to what became of a call: answered, busy, duration, opt-out; following calls to their end. Nothing here prints. */

export {
  getOutcome,
  type OutcomeWords,
  readUnansweredStatus,
  unansweredReasons,
} from '../../events/conversation/read-outcome.ts'
export {
  type CallFeed,
  followDeliveries,
  followRecordedCalls,
  type ListeningFeed,
  listenForCalls,
} from './call-feed.ts'
export { type CallEnd, type CallUpdate, callSeconds } from './call-tracker.ts'
export { findOptOut, readField } from './find-opt-out.ts'
export { type FollowedCall, followCall } from './follow-call.ts'
