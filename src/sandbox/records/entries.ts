import * as z from 'zod/mini'
import { someText } from '../../interface/fields.ts'
import { callStatuses } from '../../interface/words.ts'

const record = z.looseObject({ _id: someText() })

const faqRecordSchema = z.looseObject({ id: someText(), question: z.string(), answer: z.string() })

/** interface.md 2.9, and whether the end of it was not said. */
const messageSchema = z.object({
  messageId: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  timestamp: z.string(),
  interrupted: z.optional(z.literal(true)),
})

const callSchema = z.looseObject({
  id: someText(),
  teamId: z.string(),
  assistantId: z.optional(z.string()),
  phoneNumberId: z.optional(z.string()),
  direction: z.enum(['inbound', 'outbound']),
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
  callEndTriggerBy: z.optional(z.string()),
  analysis: z.optional(z.record(z.string(), z.unknown())),
  forwardedTo: z.optional(z.record(z.string(), z.optional(z.string()))),
  messages: z.optional(z.array(messageSchema)),
  toolCalls: z.optional(z.array(z.looseObject({ id: z.string(), name: z.string() }))),
  failures: z.optional(z.array(z.object({ part: z.string(), message: z.string() }))),
  unsetVariables: z.optional(z.array(z.string())),
})

/** One change of the sandbox's records, one line of its journal. The last entry about an id is the one that holds. */
export const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('team'), version: z.literal(1), teamId: z.string(), apiKey: someText() }),
  z.object({ kind: z.literal('assistant'), record }),
  z.object({ kind: z.literal('tool'), record }),
  z.object({ kind: z.literal('faq'), knowledgeBaseId: z.string(), entries: z.array(faqRecordSchema) }),
  z.object({ kind: z.literal('call'), record: callSchema }),
])

export type RecordEntry = z.infer<typeof entrySchema>
export type Team = Extract<RecordEntry, { kind: 'team' }>
/** An assistant (interface.md 2.1) or a tool (interface.md 2.5) as the service answers it. */
export type StoredRecord = z.infer<typeof record>
/** interface.md 2.8. */
export type FaqRecord = z.infer<typeof faqRecordSchema>
/**
 * interface.md 2.7, and what became of the call: startAt, endAt, callEndTriggerBy, analysis, where it was forwarded to, what
 * was said, which tools were used, what did not work, and the variables that are not set.
 */
export type StoredCall = z.infer<typeof callSchema>
