import * as z from 'zod'
import { prefixedFields, translations, type Vocabulary, wordString } from './vocabulary.ts'

/** interface.md 2.3: when the assistant begins to speak. */
export function startSpeakingSchema(vocabulary: Vocabulary) {
  const endpointing = prefixedFields(vocabulary, 'Rtc', {
    BaseValue: z.number().optional().describe('Base value of smart endpointing'),
    ScaleValue: z.number().optional().describe('Scale value of smart endpointing'),
  })
  return z
    .strictObject({
      waitSeconds: z.number().optional().describe('Seconds to wait before speaking'),
      smartEndpointing: wordString(vocabulary).optional().describe('Smart endpointing, for example Service'),
      onPunctuationSeconds: z.number().optional().describe('Seconds to wait after punctuation'),
      onNoPunctuationSeconds: z.number().optional().describe('Seconds to wait without punctuation'),
      onNumberSeconds: z.number().optional().describe('Seconds to wait after a number'),
      ...endpointing.shape,
    })
    .register(translations, { keys: endpointing.keys })
}

/** interface.md 2.3: when the assistant stops speaking because the user barges in. */
export const stopSpeakingSchema = z.strictObject({
  numberOfWords: z.int().optional().describe('Words of the user that stop the assistant'),
  voiceSeconds: z.number().optional().describe('Seconds of the user’s voice that stop the assistant'),
})

/** interface.md 2.3: how an early interruption is acknowledged. */
export const interruptionAckSchema = z.strictObject({
  enabled: z.boolean().optional().describe('Whether interruptions are acknowledged'),
  count: z.int().optional().describe('How many interruptions are acknowledged'),
  words: z.int().optional().describe('Words after which an interruption counts'),
  phrases: z.array(z.string()).optional().describe('Filler phrases spoken on early interruption'),
})

/** interface.md 2.3: each key switches one built-in tool. */
export const predefinedToolsSchema = z.strictObject({
  knowledgeBase: z.boolean().optional().describe('Answer from knowledge bases'),
  endCall: z.boolean().optional().describe('End the call'),
  appointment: z.boolean().optional().describe('Book appointments'),
  volumeControl: z.boolean().optional().describe('Change the volume'),
  waitList: z.boolean().optional().describe('Put the user on a wait list'),
  callForward: z.boolean().optional().describe('Forward the call'),
})
