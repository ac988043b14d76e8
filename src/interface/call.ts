import * as z from 'zod'
import { inlineAssistantSchema } from './assistant.ts'
import { overridesSchema } from './overrides.ts'
import type { Vocabulary } from './vocabulary.ts'
import { directions } from './words.ts'

const metadata = z.record(z.string(), z.unknown()).optional().describe('Free-form data of yours')

const whoTalks = (vocabulary: Vocabulary) => ({
  metadata,
  assistant: inlineAssistantSchema(vocabulary).optional().describe('Inline assistant; wins over assistantId'),
  assistantId: z.string().optional().describe('Id of an existing assistant'),
  assistantOverrides: overridesSchema.optional().describe('Overrides for this call'),
})

/** interface.md 4.1: the body of Create call. Both numbers are needed to place one. */
export const startCallSchema = (vocabulary: Vocabulary = {}) =>
  z.strictObject({
    userNumber: z.string().min(1).describe('Phone number of the user'),
    assistantNumber: z.string().min(1).describe('Phone number of the assistant'),
    ...whoTalks(vocabulary),
  })

/** interface.md 4.2: the body of Connect call. */
export const connectCallSchema = (vocabulary: Vocabulary = {}) =>
  z.strictObject({
    direction: z.enum(directions).meta({ description: 'Who starts the call', default: 'outbound' }),
    phoneNumberId: z.string().min(1).describe('Id of the phone number used for the call'),
    customer: z
      .strictObject({
        number: z.string().min(1).describe('Phone number of the user'),
        name: z.string().optional().describe('Name of the user'),
      })
      .describe('Who is called, or calls'),
    ...whoTalks(vocabulary),
  })

export type StartCall = z.infer<ReturnType<typeof startCallSchema>>
export type ConnectCall = z.infer<ReturnType<typeof connectCallSchema>>

/** interface.md 4.1: only the identifier must be there. */
export const startedCallSchema = z.looseObject({ sid: z.string().min(1) })
export type StartedCall = z.infer<typeof startedCallSchema>

/** interface.md 2.7: the call record; only the id must be there. */
export const callRecordSchema = z.looseObject({ id: z.string().min(1), status: z.string().optional() })
export type CallRecord = z.infer<typeof callRecordSchema>
