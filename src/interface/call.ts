import * as z from 'zod/mini'
import { inlineAssistantSchema, overridesSchema } from './assistant.ts'
import { optional, required, someText } from './fields.ts'
import { strictPerVocabulary, type Vocabulary } from './vocabulary.ts'
import { directions } from './words.ts'

const assistantParams = (vocabulary: Vocabulary) => ({
  metadata: optional(z.record(z.string(), z.unknown()), 'Free-form data of yours'),
  assistant: optional(
    inlineAssistantSchema(vocabulary),
    'Assistant of this call only; overrides assistantId',
  ),
  assistantId: optional(z.string(), 'Id of an existing assistant'),
  assistantOverrides: optional(overridesSchema(), 'Overrides for this call'),
})

/** interface.md 4.1: the body of Create call. Both numbers are needed to place one. */
export const startCallSchema = strictPerVocabulary('StartCall', vocabulary => ({
  userNumber: required(someText(), 'Phone number of the user'),
  assistantNumber: required(someText(), 'Phone number of the assistant'),
  ...assistantParams(vocabulary),
}))

/** interface.md 4.2: the body of Connect call. */
export const connectCallSchema = strictPerVocabulary('ConnectCall', vocabulary => ({
  direction: required(z.enum(directions), 'Direction of the call: who starts it', { default: 'outbound' }),
  phoneNumberId: required(someText(), 'Id of a phone number of the service'),
  customer: required(
    z.strictObject({
      number: required(someText(), 'Phone number of the user'),
      name: optional(z.string(), 'Name of the user'),
    }),
    'The called or calling person',
  ),
  ...assistantParams(vocabulary),
}))
