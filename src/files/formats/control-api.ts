import * as z from 'zod/mini'
import {
  objectList,
  objectSchema,
  optional,
  required,
  someText,
  strictSchema,
  wholeNumber,
} from '../../interface/fields.ts'
import { callStatuses, directions, messageRoles } from '../../interface/words.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'

/**
 * Responses of a sandbox's control API (docs/sandbox.md), for the sandbox, its page and the declarations of the package. Not part of
 * the service's interface. Strings are untrusted, as sent by clients.
 */

/** Path of `monitor.controlUrl` in a sandbox: POST a command, GET the record of the call. */
export const callControlPath = '/calls/v1/conversations/{id}/control'

/** An assistant (interface.md 2.1) or a tool (interface.md 2.5) as the service returns it. */
export const storedRecordSchema = lazy(() => z.looseObject({ _id: someText() }))
export type StoredRecord = Infer<typeof storedRecordSchema>

/** interface.md 2.8. */
export const faqRecordSchema = lazy(() =>
  z.looseObject({ id: someText(), question: z.string(), answer: z.string() }),
)
export type FaqRecord = Infer<typeof faqRecordSchema>

/** interface.md 2.9, and whether the end of it was not said. */
export const storedMessageSchema = lazy(() =>
  z.object({
    messageId: z.string(),
    role: z.enum(messageRoles),
    text: z.string(),
    /** ISO 8601, in the time of the call. */
    timestamp: z.string(),
    interrupted: z.optional(z.literal(true)),
  }),
)

/**
 * Call record (interface.md 2.7) with its result: startAt, endAt, phoneCallStatus, callEndTriggerBy, analysis, forwarding target,
 * messages, tool calls, failures and unset variables.
 */
export const storedCallSchema = lazy(() =>
  z.looseObject({
    id: someText(),
    teamId: z.string(),
    assistantId: z.optional(z.string()),
    phoneNumberId: z.optional(z.string()),
    direction: z.enum(directions),
    createdAt: z.string(),
    updatedAt: z.string(),
    customer: z.looseObject({ number: z.string(), name: z.optional(z.string()) }),
    status: z.enum(callStatuses),
    metadata: z.optional(z.record(z.string(), z.unknown())),
    phoneVendor: z.string(),
    phoneVendorDetails: z.looseObject({ from: z.string(), to: z.string() }),
    monitor: z.object({ controlUrl: z.string() }),
    startAt: z.optional(z.string()),
    endAt: z.optional(z.string()),
    /** Reason that nobody picked up, or `forwarded`. */
    phoneCallStatus: z.optional(z.string()),
    callEndTriggerBy: z.optional(z.string()),
    analysis: z.optional(z.record(z.string(), z.unknown())),
    forwardedTo: z.optional(z.record(z.string(), z.optional(z.string()))),
    messages: z.optional(z.array(storedMessageSchema())),
    toolCalls: z.optional(z.array(z.looseObject({ id: z.string(), name: z.string() }))),
    failures: z.optional(
      objectList({ part: z.string(), message: z.string(), failedAt: z.optional(z.string()) }),
    ),
    unsetVariables: z.optional(z.array(z.string())),
  }),
)
export type StoredCall = Infer<typeof storedCallSchema>

/** A call as its control URL shows it. */
export interface CallView extends StoredCall {
  /** A live caller has the floor. */
  readonly listening?: true
}

/** A request as it came in, and what became of it. */
export const requestRecordSchema = objectSchema('Request', () => ({
  at: required(z.string(), 'When it came, by the clock of the sandbox', { format: 'date-time' }),
  requestId: required(z.string(), 'Id of the request'),
  method: required(z.string(), 'HTTP method'),
  path: required(z.string(), 'Path and query'),
  status: optional(z.int(), 'Status of the response, if any'),
  fault: optional(z.string(), 'Fault that struck it'),
  scope: optional(z.string(), 'X-Sandbox-Scope'),
  call: optional(z.string(), 'Id of the call that it placed, or is about'),
  headers: required(z.record(z.string(), z.string()), 'Headers, with names in lower case, without secrets'),
  body: optional(z.unknown(), 'The JSON that came; its text where it is none'),
  answer: optional(z.unknown(), 'Response body'),
  cut: optional(z.literal(true), 'The body or the response was too large to keep'),
}))
export type RequestRecord = Infer<typeof requestRecordSchema>

/** Without what may be large. */
export type RequestSummary = Omit<RequestRecord, 'body' | 'answer'>

/** Path of a request. Other forms match no request. */
const requestPath = () => z.string().check(z.startsWith('/'))

export const requestFilterSchema = lazy(() =>
  z.strictObject({
    path: optional(requestPath(), 'This path and what is below it'),
    method: optional(someText(), 'HTTP method'),
    scope: optional(z.string(), 'X-Sandbox-Scope'),
    call: optional(someText(), 'Id of a call'),
    id: optional(someText(), 'Id of the request'),
  }),
)
export type RequestFilter = Infer<typeof requestFilterSchema>

export const clockSchema = objectSchema('Clock', () => ({
  now: required(z.string(), 'Time of the world', { format: 'date-time' }),
  pace: required(z.number(), 'Speed relative to real time; 0 does not wait'),
  frozen: required(z.boolean(), 'Whether time passes only by advance'),
}))
export type ShownClock = Infer<typeof clockSchema>

/** @param what has this probability. */
function probability(what: string) {
  return optional(z.number().check(z.minimum(0), z.maximum(1)), `Probability that ${what}`)
}

/** Faults on request: what is to go wrong, how often, and where. */
export const faultRuleSchema = strictSchema('FaultRule', () => ({
  duplicate: probability('a webhook is sent twice'),
  reorder: probability('a webhook is sent after the next one of its call'),
  delay: probability('a webhook is sent late'),
  drop: probability('a webhook is not sent'),
  disconnect: probability('the connection breaks off in the middle of a webhook'),
  '429': probability('a request is rejected with 429 and not executed'),
  '500': probability('a request fails with 500 and is not executed'),
  hang: probability('a request gets no response and is not executed'),
  reset: probability('a request is executed, and its connection is reset before the response'),
  call: optional(someText(), 'Webhooks of this call alone'),
  type: optional(someText(), 'Webhooks of this type alone'),
  path: optional(requestPath(), 'Requests to this path and what is below it alone'),
  scope: optional(
    someText(),
    'Requests with this X-Sandbox-Scope, and webhooks of calls that such requests placed, alone',
  ),
  times: optional(wholeNumber(1, 1_000_000), 'Maximum number of uses; unlimited by default'),
}))
export type FaultRule = Infer<typeof faultRuleSchema>

/** A rule that is in force. */
export const activeFaultSchema = objectSchema('Fault', () => ({
  id: required(z.string(), 'Id of the fault'),
  rule: faultRuleSchema(),
  struck: required(z.int(), 'Number of uses'),
}))
export type ActiveFault = Infer<typeof activeFaultSchema>

/** A webhook of a call as sent by the sandbox, and the response of its receiver. */
export const webhookRecordSchema = objectSchema('SentWebhook', () => ({
  id: required(z.string(), 'Id of the webhook'),
  call: required(z.string(), 'Id of the call'),
  number: required(z.int(), 'Place among the webhooks of the call, from 1'),
  at: required(z.string(), 'When it was due, in the time of the call', { format: 'date-time' }),
  type: required(z.string(), 'Type of the event'),
  url: required(z.string(), 'Receiver, without its query'),
  bytes: required(z.int(), 'Size of the body'),
  sent: required(z.int(), 'Number of attempts; 0 while it waits, or if a fault dropped it'),
  status: optional(z.int(), 'Status of the last response'),
  reason: optional(z.string(), 'Reason for the missing response'),
  milliseconds: optional(z.number(), 'Real time until the last response or failure'),
  faults: optional(z.array(z.string()), 'Faults that struck it'),
  body: optional(z.unknown(), 'JSON of the webhook; only if it is requested by id'),
}))
export type WebhookRecord = Infer<typeof webhookRecordSchema>
export type WebhookSummary = Omit<WebhookRecord, 'body'>
/** Fields of a webhook that are known before it is sent. */
export type WebhookHead = Pick<WebhookRecord, 'call' | 'number' | 'at' | 'type' | 'url'>

export const webhookFilterSchema = lazy(() =>
  z.strictObject({
    call: optional(someText(), 'Id of a call'),
    id: optional(someText(), 'Id of the webhook'),
  }),
)
export type WebhookFilter = Infer<typeof webhookFilterSchema>
