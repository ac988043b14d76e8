/** The meaning of webhook events (interface.md 6): from the bytes of a delivery to what is new in its call. Pure; remembers within bounds. */
export { type CallBuilder, createCallBuilder } from './call-builder.ts'
export { callName, listCallNames } from './call-name.ts'
export {
  type CallKey,
  type CallOrigin,
  type CallTranscript,
  type Change,
  type EditChange,
  type EventChange,
  type Fact,
  getCallKey,
  type MessageChange,
  type StatusChange,
} from './changes.ts'
export {
  type AppliedEvent,
  type ConversationEvents,
  countConversationEvents,
  createConversationTracker,
} from './conversation-tracker.ts'
export type { BodyForm } from './read/decode-body.ts'
export { describeBody, hasPayload } from './read/event-kinds.ts'
export { isEndingWord } from './read/event-values.ts'
export {
  createDeliveryReader,
  defaultMaxBodyBytes,
  eventsIn,
  type ReceivedDelivery,
  type Rejection,
  tooLarge,
} from './read/read-body.ts'
export type { ReadEvent } from './read/read-event.ts'
