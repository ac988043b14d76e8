import * as z from 'zod/mini'
import { httpFaultNames, webhookFaultNames } from '../files/formats/fault-names.ts'
import { eventSchema, optional, required } from '../interface/fields.ts'

const requestOf = { requestId: z.string(), method: z.string(), path: z.string() }
const deliveryOf = {
  callId: z.string(),
  type: required(z.string(), 'Type of the event'),
  url: required(z.string(), 'Receiver, without query and credentials'),
  reason: z.string(),
}

/** Events of the sandbox's log, which never contain keys, headers or messages of calls. */
export const sandboxEventSchemas = [
  eventSchema('request', {
    ...requestOf,
    status: z.int(),
    durationMs: required(z.number(), 'Time until the response began'),
  }),
  eventSchema('call', {
    callId: z.string(),
    status: z.string(),
    phoneCallStatus: optional(z.string(), 'Why the call was not answered, or forwarded'),
  }),
  eventSchema('delivery-failed', {
    ...deliveryOf,
    answer: optional(z.string(), 'Beginning of the response'),
  }),
  /** A receiver took a message and broke interface.md 4.8 in its response; once per call and rule. */
  eventSchema('wrong-answer', {
    ...deliveryOf,
    answer: required(z.string(), 'Beginning of the response'),
  }),
  /** A fault on request of a webhook. */
  eventSchema('fault', {
    fault: z.enum(webhookFaultNames),
    callId: z.string(),
    type: required(z.string(), 'Type of the event'),
    index: required(z.int(), 'Place of the event in its call, from 0'),
  }),
  /** A fault on request of a request to the API. */
  eventSchema('fault', { fault: z.enum(httpFaultNames), ...requestOf }),
  eventSchema('warning', { callId: z.optional(z.string()), message: z.string() }),
] as const

export type SandboxEvent = Readonly<z.infer<(typeof sandboxEventSchemas)[number]>>

export type Log = (event: SandboxEvent) => void
