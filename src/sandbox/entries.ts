import * as z from 'zod'
import { callStatuses } from '../interface/words.ts'

const record = z.looseObject({ _id: z.string().min(1) })

const faqRecordSchema = z.looseObject({ id: z.string().min(1), question: z.string(), answer: z.string() })

const callSchema = z.looseObject({
  id: z.string().min(1),
  teamId: z.string(),
  assistantId: z.string().optional(),
  phoneNumberId: z.string().optional(),
  direction: z.enum(['inbound', 'outbound']),
  createdAt: z.string(),
  updatedAt: z.string(),
  customer: z.looseObject({ number: z.string(), name: z.string().optional() }),
  status: z.enum(callStatuses),
  metadata: z.record(z.string(), z.unknown()).optional(),
  phoneVendor: z.string(),
  phoneVendorDetails: z.looseObject({ from: z.string(), to: z.string() }),
  monitor: z.object({ controlUrl: z.string() }),
  startAt: z.string().optional(),
  endAt: z.string().optional(),
  callEndTriggerBy: z.string().optional(),
  analysis: z.record(z.string(), z.unknown()).optional(),
})

/** One change of the sandbox's records, one line of its journal. The last entry about an id is the one that holds. */
export const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('team'), version: z.literal(1), teamId: z.string(), apiKey: z.string().min(1) }),
  z.object({ kind: z.literal('assistant'), record }),
  z.object({ kind: z.literal('tool'), record }),
  z.object({ kind: z.literal('faq'), knowledgeBaseId: z.string(), entries: z.array(faqRecordSchema) }),
  z.object({ kind: z.literal('call'), record: callSchema }),
])

export type Entry = z.infer<typeof entrySchema>
export type Team = Extract<Entry, { kind: 'team' }>
/** An assistant (interface.md 2.1) or a tool (2.5) as the service answers it. */
export type StoredRecord = z.infer<typeof record>
/** interface.md 2.8. */
export type FaqRecord = z.infer<typeof faqRecordSchema>
/** interface.md 2.7, and what became of the call: startAt, endAt, callEndTriggerBy, analysis. */
export type StoredCall = z.infer<typeof callSchema>
