import * as z from 'zod/mini'
import { loggedCallSchema } from '../../../calls/log/index.ts'
import { slowestAnswerSchema } from '../../../calls/report/index.ts'
import { callTranscriptSchema } from '../../../events/conversation/change-schemas.ts'
import { summarySchema, tailEventSchemas } from '../../../events/receive/index.ts'
import { eventSchema, required } from '../../../interface/fields.ts'
import { unansweredStatuses } from '../../../interface/words.ts'
import { sandboxEventSchemas } from '../../../sandbox/event-schemas.ts'
import { chatEventSchemas } from '../../shell/render/chat-events.ts'

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
    eventSchema('placed', {
      call: required(z.record(z.string(), z.unknown()), 'The call as the service returned it'),
    }),
    ...tailEventSchemas,
    summarySchema,
    eventSchema('no-events', {
      url: required(z.string(), 'Address of the listener'),
      timeoutMs: z.number(),
      ...error,
    }),
    eventSchema('unanswered', {
      reason: required(z.nullable(z.enum(unansweredStatuses)), 'null if unknown'),
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
    eventSchema('variables', {
      set: z.record(z.string(), z.string()),
      unset: z.array(z.string()),
    }),
    eventSchema('test-saved', { file: z.string(), turns: z.int(), expectations: z.int() }),
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
    slowest: required(z.nullable(slowestAnswerSchema), 'The slowest answer; null if there is none'),
  }),
}

/** `call say` and `call hangup`. */
export const callControlResult = {
  document: z.object({ id: required(z.string(), 'Id of the call'), done: z.enum(['said', 'hung-up']) }),
}

export const callLogPruneResult = { document: z.object({ removed: z.int(), kept: z.int() }) }
