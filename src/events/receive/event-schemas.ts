import * as z from 'zod/mini'
import { eventSchema, optional, required } from '../../interface/fields.ts'
import { changeSchemas } from '../conversation/change-schemas.ts'

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
})

const readySchema = eventSchema('ready', {
  url: required(z.string(), 'Address of the listener'),
})

const publicUrlSchema = eventSchema('public-url', {
  url: required(z.string(), 'Address at which the service reaches the listener'),
})

/** Events of a connection to a broker. */
export const connectionSchemas = [
  eventSchema('connected', { server: z.string(), version: z.string() }),
  eventSchema('disconnected', { reason: z.string() }),
] as const

/** Events of a source with a connection to a broker. */
export const sourceEventSchemas = [
  ...connectionSchemas,
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

/** The events of a tail, live or of a recording, before its summary. */
export const tailEventSchemas = [
  readySchema,
  publicUrlSchema,
  ...sourceEventSchemas,
  ...changeSchemas,
] as const
