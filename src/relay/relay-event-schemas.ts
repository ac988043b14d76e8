import * as z from 'zod/mini'
import { connectionSchemas } from '../events/receive/event-schemas.ts'
import { eventSchema, optional, required, requiredList } from '../interface/fields.ts'

const streamSchema = eventSchema('stream', {
  stream: z.string(),
  action: required(z.enum(['create', 'update', 'none']), 'What was done, or in a dry run would be done'),
  replicas: optional(z.int(), 'Missing for a stream that does not exist yet'),
  changes: requiredList('Differences between the stream and the flags', {
    field: z.string(),
    from: z.string(),
    to: z.string(),
  }),
})

export const relayEventSchemas = [
  streamSchema,
  eventSchema('ready', {
    url: required(z.string(), 'Address of the listener'),
    status: required(z.string(), 'Address of /healthz, /readyz and /metrics'),
    stream: z.string(),
    relay: required(z.string(), 'Id of the relay, in the headers of its messages'),
    spool: required(z.string(), 'Folder of the spool'),
    maxBodyBytes: required(z.int(), 'Maximum size of a body: as set, or less if the broker accepts less'),
    left: required(z.int(), 'Events of an earlier run that are published again'),
  }),
  ...connectionSchemas,
  eventSchema('republished', {
    events: required(z.int(), 'Events published again after trouble of the broker'),
    duplicates: required(z.int(), 'Of these, events that the stream still had'),
  }),
  eventSchema('too-large', {
    bytes: required(z.int(), 'Size of the body that the broker rejected'),
  }),
  eventSchema('spool-full', { bytes: z.int(), unpublished: z.int() }),
  eventSchema('spool-free', { bytes: z.int() }),
  eventSchema('spool-failing', { reason: z.string() }),
  eventSchema('refused', {
    status: required(z.int(), 'Status of the first rejected request with this message'),
    message: z.string(),
  }),
  eventSchema('summary', {
    received: required(z.int(), 'Deliveries acknowledged with 200'),
    rejected: z.int(),
    published: required(z.int(), 'Messages acknowledged by JetStream, repeats included'),
    duplicates: required(z.int(), 'Of these, messages that it already had'),
    unpublished: required(z.int(), 'Deliveries that are left in the spool'),
  }),
] as const

export type RelayEvent = z.infer<(typeof relayEventSchemas)[number]>

/** Positions of one name in all partitions together. */
export const readerNameSchema = z.object({
  name: z.string(),
  tails: required(z.int(), 'Tails that read as this name now'),
  behind: required(z.int(), 'Events after the position that is furthest behind; some may be done'),
  savedAt: required(z.string(), 'When a position was saved last, ISO 8601'),
})
export type ReaderName = Readonly<z.infer<typeof readerNameSchema>>
