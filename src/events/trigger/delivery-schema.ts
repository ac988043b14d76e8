import * as z from 'zod/mini'
import { eventSchema, optional, required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

/** One event that was sent, and its response. */
export const deliverySchema = eventSchema('delivery', {
  shape: optional(z.string(), 'Odd shape that the event shows'),
  type: required(z.string(), 'Type of the event; empty if it has none'),
  callId: z.nullable(z.string()),
  callStatus: z.nullable(z.string()),
  messages: required(z.nullable(z.int()), 'Number of messages; null for an event without a conversation'),
  sent: required(z.unknown(), 'The event'),
  status: z.optional(z.int()),
  milliseconds: optional(z.number(), 'Time until the response; missing in a dry run'),
  body: optional(z.string(), 'Beginning of the response'),
  acknowledged: optional(z.boolean(), 'True if the response is the one that the interface asks for'),
  failure: optional(z.string(), 'Reason for the missing response'),
  unsent: optional(z.boolean(), 'True if no connection was made'),
})

export type TriggeredDelivery = Immutable<z.infer<typeof deliverySchema>>
