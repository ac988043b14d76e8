import * as z from 'zod/mini'
import { eventSchema, optional, required, requiredList } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

const targetTotalsSchema = z.object({
  target: required(z.string(), 'URL without its query'),
  type: required(z.nullable(z.string()), 'Type of the events that it gets; null for all'),
  delivered: required(z.int(), 'Acknowledged with 2xx'),
  failed: required(z.int(), 'Any other outcome; not retried'),
  undelivered: required(z.int(), 'Not sent, or broken off at the end'),
  lost: required(z.int(), 'Undelivered events that are kept nowhere'),
})

export const forwardTotalsSchema = z.object({
  targets: z.array(targetTotalsSchema),
  dropped: required(z.int(), 'Events that were not forwarded: too many were waiting'),
  unwritten: required(z.int(), 'Deliveries that a resumed run would repeat'),
})

const attempt = {
  callId: z.nullable(z.string()),
  at: required(z.string(), 'When the event arrived, ISO 8601'),
  status: z.optional(z.int()),
  reason: optional(z.string(), 'Reason for the missing response'),
  milliseconds: z.number(),
  body: optional(z.string(), 'Beginning of the response'),
}
const failedAttempt = {
  target: required(z.string(), 'URL without its query'),
  type: z.string(),
  ...attempt,
}

export const forwardFailureSchema = eventSchema('forward-failed', failedAttempt)

export const forwardRetrySchema = eventSchema('forward-retried', {
  ...failedAttempt,
  again: required(z.number(), 'Milliseconds until the next attempt'),
})

/** A recording that was sent to a server, as --json prints it. */
export const resendSchema = z.object({
  target: required(z.string(), 'URL without its query'),
  sent: required(z.int(), 'Events acknowledged with 2xx'),
  failed: z.int(),
  skippedLines: required(z.int(), 'Lines of the recording that are not events'),
  failures: requiredList('The first thousand failures, in the order of the recording', {
    number: required(z.int(), 'Place in the recording, from 1'),
    type: required(z.nullable(z.string()), 'Type of the event; null if the body has none'),
    ...attempt,
    unsent: optional(z.boolean(), 'True if no connection was made'),
  }),
})
export type ResendDocument = Immutable<z.infer<typeof resendSchema>>
