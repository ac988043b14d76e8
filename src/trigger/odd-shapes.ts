import { webhookTypes } from '../interface/words.ts'

/**
 * Shapes that `webhook trigger odd` sends, with descriptions. Separate from their events, so that the command tree, which lists them in
 * help, loads nothing else.
 */
export const oddShapes = {
  'numeric-call-id': 'call.id is a number',
  'numeric-status': 'call.status is a number',
  'numeric-phone-numbers': 'phone numbers are numbers, without their +',
  'numeric-message-ids': 'messageId is a number',
  'epoch-milliseconds': 'times are milliseconds since the epoch',
  'epoch-seconds': 'times are seconds since the epoch',
  'epoch-text': 'times are digits in a text',
  'call-without-id': 'call has no id',
  'call-as-text': 'call is a text',
  'no-call': 'two conversations without call, one after the other, with the same messageIds',
  'analysis-as-text': 'analysis is a text',
  'analysis-values': 'results of the analysis are a number, a boolean and null',
  'assistant-as-text': 'assistant is an id',
  'customer-as-text': 'customer is a phone number',
  'messages-as-text': 'messages is no list',
  'odd-messages': 'items of messages lack messageId, role or text, or are a text or null',
  'null-fields': 'every field is null',
  'type-unknown': 'a type that the interface does not name, with messages and analysis',
  'type-missing': 'message has no type',
  'type-number': 'type is a number',
  'status-completed': 'ends with the word of the call record',
  'status-forwarded': 'ends with the word of the call record',
  'status-failed': 'ends with a word of telephony',
  'status-busy': 'ends with a word of telephony',
  'status-no-answer': 'ends with a word of telephony',
  'status-canceled': 'ends with a word of telephony',
  'status-cancelled': 'ends with a word of telephony',
  'status-unknown': 'a status that the interface does not publish',
  'end-of-call-report': 'ends by a type of its own, which carries analysis and messages',
  'end-time-alone': 'ends by call.endAt, without a status',
  'own-names': 'fields are named __proto__, constructor and toString',
  'control-characters': 'texts hold escape sequences, bidi overrides and half a surrogate pair',
  'message-as-text': 'message is a text',
  'message-missing': 'the body has no message',
  'no-envelope': 'the fields of message stand in the body itself',
} as const satisfies Readonly<Record<string, string>>

export type OddShape = keyof typeof oddShapes

export const oddShapeNames = Object.keys(oddShapes).filter((name): name is OddShape => name in oddShapes)

/** Events that can be triggered: one of interface.md 6, those of a whole call, or undocumented shapes. */
export const triggers = [...webhookTypes, 'call', 'odd'] as const

export type Trigger = (typeof triggers)[number]
