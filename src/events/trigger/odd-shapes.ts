import { webhookTypes } from '../conversation/index.ts'

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
  'epoch-text': 'times are strings of digits',
  'call-without-id': 'call has no id',
  'call-as-text': 'call is a string',
  'no-call': 'two consecutive conversations without call, with the same messageIds',
  'analysis-as-text': 'analysis is a string',
  'analysis-values': 'analysis results are a number, a boolean and null',
  'assistant-as-text': 'assistant is an id',
  'customer-as-text': 'customer is a phone number',
  'messages-as-text': 'messages is not a list',
  'odd-messages': 'messages lack messageId, role or text, or are a string or null',
  'null-fields': 'every field is null',
  'type-unknown': 'the type is not in the interface; with messages and analysis',
  'type-missing': 'message has no type',
  'type-number': 'type is a number',
  'status-completed': 'ends with a status of the call record',
  'status-forwarded': 'ends with a status of the call record',
  'status-failed': 'ends with a telephony status',
  'status-busy': 'ends with a telephony status',
  'status-no-answer': 'ends with a telephony status',
  'status-canceled': 'ends with a telephony status',
  'status-cancelled': 'ends with a telephony status',
  'status-unknown': 'the status is not in the interface',
  'end-of-call-report': 'ends with an event type of its own, with analysis and messages',
  'end-time-alone': 'ends with call.endAt, without a status',
  'own-names': 'fields are named __proto__, constructor and toString',
  'control-characters': 'texts contain escape sequences, bidi overrides and half a surrogate pair',
  'message-as-text': 'message is a string',
  'message-missing': 'the body has no message',
  'no-envelope': 'the fields of message are in the body itself',
} as const satisfies Readonly<Record<string, string>>

export type OddShape = keyof typeof oddShapes

export const oddShapeNames = Object.keys(oddShapes).filter((name): name is OddShape => name in oddShapes)

/** Events that can be triggered: one of interface.md 6, those of a whole call, or undocumented shapes. */
export const triggers = [...webhookTypes, 'call', 'odd'] as const

export type Trigger = (typeof triggers)[number]
