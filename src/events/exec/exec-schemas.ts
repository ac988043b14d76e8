import * as z from 'zod/mini'
import { eventSchema, required } from '../../interface/fields.ts'

/** The program of a message failed. */
export const execFailedSchema = eventSchema('exec-failed', {
  callId: z.nullable(z.string()),
  messageId: z.nullable(z.string()),
  reason: z.string(),
  stderr: required(z.string(), 'Beginning of what the program printed there'),
})

export const execTotalsSchema = z.object({
  succeeded: required(z.int(), 'Messages whose program ended with exit code 0'),
  failed: z.int(),
  ended: required(z.int(), 'Messages whose program was ended on exit'),
  notRun: required(z.int(), 'Messages without a program: too many waited'),
})
