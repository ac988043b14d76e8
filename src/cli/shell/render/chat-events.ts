import * as z from 'zod/mini'
import { observationSchemas } from '../../../files/formats/call-observation.ts'
import { eventSchema, required } from '../../../interface/fields.ts'

const { message, toolStarted, toolEnded, failure } = observationSchemas

/** A status of a chat, with its record without the addresses of a sandbox that ends with the chat. */
const statusSchema = eventSchema('status', {
  callId: z.string(),
  status: z.string(),
  record: required(z.looseObject({ status: z.string() }), 'The call at this status'),
})

export const chatEventSchemas = [message, toolStarted, toolEnded, failure, statusSchema] as const

export type ChatEvent = Readonly<z.infer<(typeof chatEventSchemas)[number]>>
