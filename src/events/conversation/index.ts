/** From the body of a webhook to a decoded event, and what is new in its call: message, edit, status (interface.md 6). Pure. */
export { type CallBuilder, createCallBuilder } from './call-builder.ts'
export type { RecordedCall } from './call-details.ts'
export { callName, listCallNames } from './call-name.ts'
export {
  type CallKey,
  type CallOrigin,
  type CallTranscript,
  type Change,
  getCallKey,
  type MessageChange,
  type StatusChange,
} from './changes.ts'
export {
  type AppliedEvent,
  type ConversationEvents,
  type ConversationTracker,
  countConversationEvents,
  createConversationTracker,
} from './conversation-tracker.ts'
export type { BodyForm } from './read/decode-body.ts'
export { describeBody, hasPayload, webhookTypes } from './read/event-kinds.ts'
export { isEndingWord } from './read/event-values.ts'
export {
  createDeliveryReader,
  type DeliveryHead,
  defaultMaxBodyBytes,
  eventsIn,
  type ReceivedDelivery,
  type Rejection,
  tooLarge,
} from './read/read-body.ts'
export type { ReadEvent } from './read/read-event.ts'
