/** The course of calls and their outcomes, from webhook events (interface.md 6). Nothing here prints. */

export { type OutcomeWords, readOutcome, unansweredReasons } from '../../events/conversation/read-outcome.ts'
export {
  type CallFeed,
  followDeliveries,
  followRecordedCalls,
  listenForCalls,
} from './call-feed.ts'
export { type CallUpdate, callSeconds, type EndedCall } from './call-tracker.ts'
export { findOptOut, readField } from './find-opt-out.ts'
export { type FollowedEnd, followCall } from './follow-call.ts'
