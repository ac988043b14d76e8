import * as z from 'zod/mini'
import { eventSchema, optional, required } from '../../interface/fields.ts'

// Changes of calls and their transcripts as --json prints them. Apart from their types, so that a tail does not build schemas.

const origin = {
  callId: required(z.nullable(z.string()), 'Id of the call; null if the event names none'),
  conversation: optional(z.int(), 'Number of a call without id, from 1; missing for an event of no call'),
}

export const callOriginSchema = z.object(origin)

const typedOrigin = {
  ...origin,
  type: optional(z.string(), 'Type of the event, unless it is the type that the interface has for this'),
}

const messageFields = {
  role: z.string(),
  text: z.string(),
  timestamp: optional(z.string(), 'ISO 8601, or the received text if it is not a time'),
}

/** A message seen for the first time. */
export const messageChangeSchema = eventSchema('message', {
  ...typedOrigin,
  messageId: required(z.nullable(z.string()), 'null if the service sent none'),
  ...messageFields,
})

/** A known message whose text changed. */
export const editChangeSchema = eventSchema('edit', {
  ...typedOrigin,
  messageId: z.string(),
  ...messageFields,
  before: optional(z.string(), 'Previous text; missing when it is no longer kept'),
})

/** A status not yet shown for this call, or an analysis that came with a status already shown. */
export const statusChangeSchema = eventSchema('status', {
  ...typedOrigin,
  status: required(
    z.string(),
    'Status as received; finished for an end without a status, unknown for an analysis without one',
  ),
  ended: optional(z.literal(true), 'Present when the call has ended with this status'),
  phoneCallStatus: z.optional(z.string()),
  callType: z.optional(z.string()),
  direction: z.optional(z.string()),
  userNumber: z.optional(z.string()),
  assistantNumber: z.optional(z.string()),
  startAt: optional(z.string(), 'ISO 8601, or the received text if it is not a time'),
  endAt: optional(z.string(), 'ISO 8601, or the received text if it is not a time'),
  callEndTriggerBy: optional(z.string(), 'Who ended the call'),
  analysis: optional(z.record(z.string(), z.unknown()), 'Results of the analysis that were received'),
})

/** An event of another type, or with parts that are not what they should be. */
export const eventChangeSchema = eventSchema('event', {
  type: z.string(),
  ...origin,
  odd: optional(z.array(z.string()), 'Parts that could not be read, such as "call.status is an object"'),
  event: required(z.unknown(), 'The event as received'),
})

/** An item of `messages` that is not a message. */
export const malformedChangeSchema = eventSchema('malformed', {
  ...typedOrigin,
  path: required(z.string(), 'Path of the item, such as messages[2]'),
  item: required(z.unknown(), 'The item as received'),
})

/** Every change of a call. */
export const changeSchemas = [
  messageChangeSchema,
  editChangeSchema,
  statusChangeSchema,
  eventChangeSchema,
  malformedChangeSchema,
] as const

export const transcriptMessageSchema = z.object({
  messageId: required(z.nullable(z.string()), 'null if the service sent none'),
  role: z.string(),
  text: required(z.string(), 'Last text of the message'),
  timestamp: required(z.nullable(z.string()), 'ISO 8601, or the received text if it is not a time'),
  edited: required(z.boolean(), 'True if the text changed after it first arrived'),
})

export const transcriptStatusSchema = z.object({
  status: z.string(),
  phoneCallStatus: z.nullable(z.string()),
  at: required(z.string(), 'When it arrived, ISO 8601'),
})

/** A part of an event that is neither message nor status, as received. */
export const unreadPartSchema = z.object({
  at: required(z.string(), 'When it arrived, ISO 8601'),
  type: required(z.nullable(z.string()), 'Type of the event; null for an item of messages'),
  path: required(z.nullable(z.string()), 'Path of an item, such as messages[2]; null for an event'),
  odd: required(z.array(z.string()), 'Parts that could not be read'),
  value: z.unknown(),
})

/** One recorded call, each message once. A fact that no event has is null. */
export const callTranscriptSchema = z.object({
  callId: required(z.nullable(z.string()), 'null for a call without id, and for events of no call'),
  conversation: required(z.nullable(z.int()), 'Number of a call without id, from 1'),
  direction: z.nullable(z.string()),
  callType: z.nullable(z.string()),
  userNumber: z.nullable(z.string()),
  assistantNumber: z.nullable(z.string()),
  teamId: z.nullable(z.string()),
  assistantId: z.nullable(z.string()),
  assistantName: z.nullable(z.string()),
  customerName: z.nullable(z.string()),
  startAt: required(z.nullable(z.string()), 'ISO 8601, or the received text if it is not a time'),
  endAt: required(z.nullable(z.string()), 'ISO 8601, or the received text if it is not a time'),
  callEndTriggerBy: required(z.nullable(z.string()), 'Who ended the call'),
  firstAt: required(z.string(), 'When its first event arrived, ISO 8601'),
  lastAt: required(z.string(), 'When its last event arrived, ISO 8601'),
  ended: required(z.boolean(), 'True if an event said that the call is over'),
  statuses: required(z.array(transcriptStatusSchema), 'In the order of arrival'),
  messages: z.array(transcriptMessageSchema),
  analysis: z.nullable(z.record(z.string(), z.unknown())),
  otherEvents: required(
    z.record(z.string(), z.int()),
    'Number of events that are not part of a conversation, by type',
  ),
  malformedItems: required(z.int(), 'Items of messages that are not messages'),
  unread: required(z.array(unreadPartSchema), 'The first hundred events and items that are in neither'),
})
