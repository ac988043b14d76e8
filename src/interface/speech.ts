import * as z from 'zod/mini'
import { named, optional, optionalObject, strictSchema } from './fields.ts'
import {
  prefixedFields,
  strictPerVocabulary,
  translations,
  type Vocabulary,
  wordString,
} from './vocabulary.ts'

/** interface.md 2.2: one speech-to-text and several text-to-speech configurations. */
export const speechSchema = strictPerVocabulary('Speech', vocabulary => ({
  stt: optionalObject('Speech recognition', {
    vendor: optional(wordString(vocabulary), 'Speech-to-text vendor'),
    languages: optional(z.string(), 'Language tag'),
  }),
  sttFallback: optionalObject('Speech recognition when the first one fails', {
    enabled: optional(z.boolean(), 'Whether the fallback is used'),
    vendor: optional(wordString(vocabulary), 'Speech-to-text vendor'),
    languages: optional(z.string(), 'Language tag'),
  }),
  ttsData: optional(z.array(voiceSchema(vocabulary)), 'One entry per text-to-speech configuration'),
}))

const voiceSchema = strictPerVocabulary('Voice', vocabulary => ({
  enabled: optional(z.boolean(), 'Whether this configuration is used'),
  vendor: optional(wordString(vocabulary), 'Text-to-speech vendor'),
  language: optional(z.string(), 'Language tag'),
  voice: optional(z.string(), 'Voice identifier'),
  config: optionalObject('Settings of the voice', {
    modelId: optional(z.string(), 'Speech model'),
    stability: optional(z.number(), 'Stability of the voice'),
    similarityBoost: optional(z.number(), 'Similarity to the original voice'),
    speakerBoost: optional(z.boolean(), 'Whether the speaker is boosted'),
    styleExaggeration: optional(z.number(), 'Exaggeration of the style'),
    seed: optional(z.int(), 'Seed for repeatable speech'),
    speed: optional(z.number(), 'Speed of speech'),
    applyTextNormalization: optional(z.boolean(), 'Whether numbers and dates are spelled out'),
  }),
}))

/** interface.md 2.3: when the assistant begins to speak. */
export function startSpeakingSchema(vocabulary: Vocabulary) {
  const endpointing = prefixedFields(vocabulary, 'Rtc', {
    BaseValue: optional(z.number(), 'Base value of smart endpointing'),
    ScaleValue: optional(z.number(), 'Scale value of smart endpointing'),
  })
  return named(
    'StartSpeakingOptions',
    z
      .strictObject({
        waitSeconds: optional(z.number(), 'Seconds to wait before speaking'),
        smartEndpointing: optional(wordString(vocabulary), 'Smart endpointing, for example Service'),
        onPunctuationSeconds: optional(z.number(), 'Seconds to wait after punctuation'),
        onNoPunctuationSeconds: optional(z.number(), 'Seconds to wait without punctuation'),
        onNumberSeconds: optional(z.number(), 'Seconds to wait after a number'),
        ...endpointing.shape,
      })
      .register(translations, { keys: endpointing.keys }),
  )
}

/** interface.md 2.3: when the assistant stops speaking because the user barges in. */
export const stopSpeakingSchema = strictSchema('StopSpeakingOptions', () => ({
  numberOfWords: optional(z.int(), 'Words of the user that stop the assistant'),
  voiceSeconds: optional(z.number(), 'Seconds of the user’s voice that stop the assistant'),
}))

/** interface.md 2.3: how an early interruption is acknowledged. */
export const interruptionAckSchema = strictSchema('UserInterruptionAckPlan', () => ({
  enabled: optional(z.boolean(), 'Whether interruptions are acknowledged'),
  count: optional(z.int(), 'How many interruptions are acknowledged'),
  words: optional(z.int(), 'Words after which an interruption counts'),
  phrases: optional(z.array(z.string()), 'Filler phrases spoken on early interruption'),
}))
