import * as z from 'zod/mini'
import { optional } from './fields.ts'
import { prefixedFields, translations, type Vocabulary, wordString } from './vocabulary.ts'

/** interface.md 2.3: when the assistant begins to speak. */
export function startSpeakingSchema(vocabulary: Vocabulary) {
  const endpointing = prefixedFields(vocabulary, 'Rtc', {
    BaseValue: optional(z.number(), 'Base value of smart endpointing'),
    ScaleValue: optional(z.number(), 'Scale value of smart endpointing'),
  })
  return z
    .strictObject({
      waitSeconds: optional(z.number(), 'Seconds to wait before speaking'),
      smartEndpointing: optional(wordString(vocabulary), 'Smart endpointing, for example Service'),
      onPunctuationSeconds: optional(z.number(), 'Seconds to wait after punctuation'),
      onNoPunctuationSeconds: optional(z.number(), 'Seconds to wait without punctuation'),
      onNumberSeconds: optional(z.number(), 'Seconds to wait after a number'),
      ...endpointing.shape,
    })
    .register(translations, { keys: endpointing.keys })
}

/** interface.md 2.3: when the assistant stops speaking because the user barges in. */
export const stopSpeakingSchema = z.strictObject({
  numberOfWords: optional(z.int(), 'Words of the user that stop the assistant'),
  voiceSeconds: optional(z.number(), 'Seconds of the user’s voice that stop the assistant'),
})

/** interface.md 2.3: how an early interruption is acknowledged. */
export const interruptionAckSchema = z.strictObject({
  enabled: optional(z.boolean(), 'Whether interruptions are acknowledged'),
  count: optional(z.int(), 'How many interruptions are acknowledged'),
  words: optional(z.int(), 'Words after which an interruption counts'),
  phrases: optional(z.array(z.string()), 'Filler phrases spoken on early interruption'),
})

/** interface.md 2.3: each key switches one built-in tool. */
export const predefinedToolsSchema = z.strictObject({
  knowledgeBase: optional(z.boolean(), 'Answer from knowledge bases'),
  endCall: optional(z.boolean(), 'End the call'),
  appointment: optional(z.boolean(), 'Book appointments'),
  volumeControl: optional(z.boolean(), 'Change the volume'),
  waitList: optional(z.boolean(), 'Put the user on a wait list'),
  callForward: optional(z.boolean(), 'Forward the call'),
})
