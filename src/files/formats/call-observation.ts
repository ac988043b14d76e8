import * as z from 'zod/mini'
import { eventSchema, optional, required } from '../../interface/fields.ts'
import { webhookStatuses } from '../../interface/words.ts'
import type { Immutable } from '../../lib/json.ts'
import { storedCallSchema, storedMessageSchema } from './control-api.ts'

const callTime = { format: 'date-time' } as const

/** One use of a tool, as the call's record keeps it. */
const toolRunSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: required(z.unknown(), 'The parsed arguments; the text if it is not a JSON object'),
  startedAt: optional(z.string(), 'In the time of the call', callTime),
})
export type ToolRun = Immutable<z.infer<typeof toolRunSchema>>

export const toolResultSchema = z.extend(toolRunSchema, {
  content: required(z.string(), 'JSON text for the model'),
  failure: optional(z.string(), 'Why the tool failed'),
  simulated: optional(z.boolean(), 'True if the sandbox simulated the server'),
  endedAt: optional(z.string(), 'In the time of the call; missing if the call ended before', callTime),
})
export type ToolResult = Immutable<z.infer<typeof toolResultSchema>>

const callId = z.string()

export const failedParts = ['model', 'tool', 'analysis'] as const
export type FailedPart = (typeof failedParts)[number]

/** Events of a call. Unlike the sandbox's log, they contain what is said. */
export const observationSchemas = {
  status: eventSchema('status', {
    callId,
    status: z.enum(webhookStatuses),
    record: required(
      storedCallSchema(),
      'The call at this status; at the end with messages, toolCalls, failures and analysis',
    ),
  }),
  /** The assistant's words as they are made; a `message` follows, cut short where the caller barged in. */
  draft: eventSchema('draft', { callId, text: z.string() }),
  message: z.extend(storedMessageSchema(), { kind: z.literal('message'), callId }),
  /** The reply that is made is more than a stopgap. */
  answered: eventSchema('answered', { callId }),
  toolStarted: eventSchema('tool-started', { callId, run: toolRunSchema }),
  toolEnded: eventSchema('tool-ended', { callId, result: toolResultSchema }),
  failure: eventSchema('failure', {
    callId,
    part: z.enum(failedParts),
    message: z.string(),
    failedAt: optional(z.string(), 'In the time of the call', callTime),
  }),
  /** Neither side speaks and no reply is being made: a live caller has the floor. */
  listening: eventSchema('listening', { callId }),
}

export type CallObservation = Readonly<z.infer<(typeof observationSchemas)[keyof typeof observationSchemas]>>
