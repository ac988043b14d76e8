import * as z from 'zod/mini'
import { loggedCallSchema } from '../../calls/index.ts'
import { chatEventSchemas } from '../../cli/render/chat-events.ts'
import { callTranscriptSchema } from '../../conversation/change-schemas.ts'
import { required } from '../../interface/fields.ts'
import { sandboxEventSchemas } from '../../sandbox/event-schemas.ts'
import { tailEventSchemas } from '../../webhook/index.ts'
import { diagnosticSchema } from '../results.ts'

const error = { message: z.string(), hint: z.nullable(z.string()) }

/** `call start` and `call connect`. */
export const callPlaceResult = {
  document: z.union([
    z.object({
      method: required(z.literal('POST'), 'With --dry-run: the request'),
      path: z.string(),
      body: z.record(z.string(), z.unknown()),
    }),
    required(z.record(z.string(), z.unknown()), 'The call as the service returned it'),
  ]),
  /** With --follow. */
  event: z.union([
    z.object({
      kind: z.literal('placed'),
      call: required(z.record(z.string(), z.unknown()), 'The call as the service returned it'),
    }),
    ...tailEventSchemas,
    z.object({
      kind: z.literal('no-events'),
      url: required(z.string(), 'Address of the listener'),
      timeoutMs: z.number(),
      ...error,
    }),
    z.object({
      kind: z.literal('unanswered'),
      reason: required(z.nullable(z.string()), 'null if unknown'),
      phoneCallStatus: z.nullable(z.string()),
      callEndTriggerBy: z.nullable(z.string()),
      ...error,
    }),
  ]),
}

export const callChatResult = {
  event: z.union([
    ...chatEventSchemas,
    ...sandboxEventSchemas,
    z.object({
      kind: z.literal('variables'),
      set: z.record(z.string(), z.string()),
      unset: z.array(z.string()),
    }),
    z.object({ kind: z.literal('test-saved'), file: z.string(), turns: z.int(), expectations: z.int() }),
  ]),
}

export const callListResult = {
  document: z.object({
    calls: required(z.array(loggedCallSchema()), 'Latest first, as many as --limit allows'),
    total: required(z.int(), 'Number of calls that match'),
  }),
}

export const callShowResult = {
  document: z.object({
    call: loggedCallSchema(),
    transcript: required(z.nullable(callTranscriptSchema), 'null if there is none'),
    from: required(z.nullable(z.string()), 'Recording or service that the transcript comes from'),
  }),
}

const batchCalls = z.object({
  first: required(z.int(), 'First calls to each person'),
  most: required(z.int(), 'Calls with all attempts'),
})

export const callBatchPlanResult = {
  document: z.object({
    batch: required(z.string(), 'Name of the batch'),
    rows: z.int(),
    people: required(z.int(), 'Number of people to call'),
    skipped: z.object({
      invalid: required(z.int(), 'Rows with errors'),
      duplicate: required(z.int(), 'Rows of a person who is in a list already'),
      doNotCall: required(z.int(), 'Rows on a do-not-call list'),
    }),
    calls: required(batchCalls, 'Number of calls within the limits'),
    leastSeconds: required(z.nullable(batchCalls), 'Time that the calls need at the rate; null without one'),
    until: required(z.nullable(z.string()), 'ISO 8601; null without an end'),
    zones: required(
      z.array(
        z.object({
          zone: z.string(),
          people: z.int(),
          opensAt: required(z.string(), 'When they can be called first, ISO 8601'),
          openSeconds: required(z.nullable(z.number()), 'Time in which they can be called before the end'),
        }),
      ),
      'People by time zone, in the order in which the window opens',
    ),
    lists: z.array(
      z.object({
        file: z.string(),
        to: required(z.array(z.string()), 'Columns with numbers'),
        name: z.nullable(z.string()),
        timezone: z.nullable(z.string()),
        id: z.nullable(z.string()),
        consent: z.nullable(z.string()),
        variables: required(z.array(z.string()), 'Variables that have a column and are sent'),
      }),
    ),
    findings: required(z.array(diagnosticSchema), 'At most a hundred for each code'),
    counts: required(z.record(z.string(), z.int()), 'Number of findings by code'),
    example: required(
      z.nullable(z.object({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()) })),
      'Request of the first call; null if nobody is called',
    ),
  }),
}

const personStatus = z.enum(['due', 'placed', 'rejected', 'unknown'])
const statusCounts = {
  due: required(z.int(), 'People still to call'),
  placed: z.int(),
  rejected: required(z.int(), 'People whose request the service rejected'),
  unknown: required(z.int(), 'People who may have been called'),
}
const person = required(z.string(), 'Id of the person')

export const callBatchRunResult = {
  event: z.union([
    z.object({
      kind: z.literal('called'),
      person,
      from: z.string(),
      to: z.string(),
      call: z.nullable(z.string()),
    }),
    z.object({
      kind: z.literal('failed'),
      person,
      to: z.string(),
      outcome: z.enum(['rejected', 'unknown']),
      reason: z.string(),
    }),
    z.object({
      kind: z.literal('waiting'),
      until: required(z.string(), 'ISO 8601'),
      reason: z.enum(['window', 'rate', 'busy']),
    }),
    z.object({
      kind: z.literal('summary'),
      end: required(z.enum(['done', 'paused', 'ended', 'limit', 'failed']), 'Why the run ended'),
      ...statusCounts,
      invalid: required(z.int(), 'Rows with errors'),
    }),
  ]),
}

export const callBatchStatusResult = {
  document: z.object({
    batch: z.string(),
    service: required(z.nullable(z.string()), 'Base URL; null before the first run'),
    isCancelled: z.boolean(),
    ...statusCounts,
    skipped: z.object({ invalid: z.int(), duplicate: z.int(), doNotCall: z.int() }),
  }),
}

export const callBatchCancelResult = {
  document: z.object({ batch: z.string(), isCancelled: z.literal(true), ...statusCounts }),
}

export const callBatchExportResult = {
  document: z.union([
    z.object({
      results: z.array(
        z.object({
          id: person,
          number: z.nullable(z.string()),
          status: personStatus,
          at: required(z.nullable(z.string()), 'When the last call was placed, ISO 8601'),
          call: required(z.nullable(z.string()), 'Id of the last call'),
          from: z.nullable(z.string()),
          reason: required(z.nullable(z.string()), 'Why it failed'),
          consent: z.nullable(z.string()),
          list: z.string(),
          line: z.nullable(z.string()),
        }),
      ),
    }),
    z.object({ file: required(z.string(), 'With --out: the file that was written'), people: z.int() }),
  ]),
}

/** `call say` and `call hangup`. */
export const callControlResult = {
  document: z.object({ id: required(z.string(), 'Id of the call'), done: z.enum(['said', 'hung-up']) }),
}

export const callLogPruneResult = { document: z.object({ removed: z.int(), kept: z.int() }) }
