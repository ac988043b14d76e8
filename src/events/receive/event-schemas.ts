import * as z from 'zod/mini'
import { eventSchema, objectList, optional, required, requiredList } from '../../interface/fields.ts'
import { changeSchemas } from '../conversation/change-schemas.ts'
import { forwardFailureSchema, forwardRetrySchema, forwardTotalsSchema } from '../forward/index.ts'

/** Rules of a guard at the end. */
const guardTotalsSchema = z.object({
  rules: objectList({
    name: z.string(),
    when: required(z.string(), 'Condition'),
    fired: required(z.int(), 'Times that it fired'),
    firing: requiredList('Where it holds, and since when; empty if it does not', {
      group: optional(z.nullable(z.string()), 'Group'),
      since: z.string(),
    }),
  }),
  delivered: required(z.int(), 'Alerts that were delivered; 0 for a recording'),
  failed: required(z.int(), 'Alerts that were given up, or still to be delivered on exit'),
})

export const summarySchema = eventSchema('summary', {
  calls: z.int(),
  finished: z.int(),
  events: z.int(),
  messages: z.int(),
  edits: z.int(),
  repeats: required(z.int(), 'Messages and statuses that were already known'),
  late: required(z.int(), 'Statuses that arrived after a later one'),
  badRequests: optional(z.int(), 'Requests that were refused; missing for a recording'),
  skippedLines: optional(z.int(), 'Lines of a recording that are not events'),
  recording: z.optional(
    z.object({
      recorded: z.int(),
      missing: required(z.int(), 'Events that were rejected because they could not be written'),
      missingSince: optional(z.string(), 'ISO 8601'),
    }),
  ),
  forwarding: z.optional(forwardTotalsSchema),
  exec: z.optional(
    z.object({
      succeeded: required(z.int(), 'Messages whose program ended with exit code 0'),
      failed: z.int(),
      ended: required(z.int(), 'Messages whose program was ended on exit'),
      notRun: required(z.int(), 'Messages without a program: too many waited'),
    }),
  ),
  guard: z.optional(guardTotalsSchema),
})

const readySchema = eventSchema('ready', {
  url: required(z.string(), 'Address of the listener'),
})

const publicUrlSchema = eventSchema('public-url', {
  url: required(z.string(), 'Address at which the service reaches the listener'),
})

/** Events of a source with a connection to a broker. */
export const sourceEventSchemas = [
  eventSchema('connected', { server: z.string(), version: z.string() }),
  eventSchema('disconnected', { reason: z.string() }),
  eventSchema('gap', {
    from: required(z.int(), 'First sequence of the stream that was removed before it was read'),
    to: required(z.int(), 'Last one'),
    partitions: required(z.int(), 'Partitions of this tail that may lack events, of 32'),
  }),
  eventSchema('stream-replaced', { stream: z.string() }),
  eventSchema('partitions', {
    held: required(z.int(), 'Partitions that this tail reads, of 32'),
    tails: required(z.int(), 'Tails that share the name'),
  }),
] as const

const execFailureSchema = eventSchema('exec-failed', {
  callId: z.nullable(z.string()),
  messageId: z.nullable(z.string()),
  reason: z.string(),
  stderr: required(z.string(), 'Beginning of what the program printed there'),
})

/** The events of a tail, live or of a recording. */
export const tailEventSchemas = [
  readySchema,
  publicUrlSchema,
  ...sourceEventSchemas,
  ...changeSchemas,
  forwardFailureSchema,
  forwardRetrySchema,
  execFailureSchema,
  summarySchema,
] as const
