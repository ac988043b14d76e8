import * as z from 'zod/mini'
import { named, optional, optionalObject, primitives, strictSchema } from './fields.ts'
import {
  prefixedFields,
  strictPerVocabulary,
  translations,
  type Vocabulary,
  wordString,
} from './vocabulary.ts'

/** interface.md 2.2: one speech-to-text and several text-to-speech configurations. */
export const speechSchema = strictPerVocabulary('Speech', vocabulary => ({
  stt: optionalObject('Speech recognition', () => ({
    vendor: optional(wordString(vocabulary), 'Speech-to-text vendor'),
    languages: optional(primitives.text(), 'Language tag'),
  })),
  sttFallback: optionalObject('Speech recognition when the first one fails', () => ({
    enabled: optional(primitives.flag(), 'Whether the fallback is used'),
    vendor: optional(wordString(vocabulary), 'Speech-to-text vendor'),
    languages: optional(primitives.text(), 'Language tag'),
  })),
  ttsData: optional(z.array(voiceSchema(vocabulary)), 'One entry per text-to-speech configuration'),
}))

const voiceSchema = strictPerVocabulary('Voice', vocabulary => ({
  enabled: optional(primitives.flag(), 'Whether this configuration is used'),
  vendor: optional(wordString(vocabulary), 'Text-to-speech vendor'),
  language: optional(primitives.text(), 'Language tag'),
  voice: optional(primitives.text(), 'Voice identifier'),
  config: optionalObject('Settings of the voice', () => ({
    modelId: optional(primitives.text(), 'Speech model'),
    stability: optional(primitives.number(), 'Stability of the voice'),
    similarityBoost: optional(primitives.number(), 'Similarity to the original voice'),
    speakerBoost: optional(primitives.flag(), 'Whether the speaker is boosted'),
    styleExaggeration: optional(primitives.number(), 'Exaggeration of the style'),
    seed: optional(primitives.integer(), 'Seed for repeatable speech'),
    speed: optional(primitives.number(), 'Speed of speech'),
    applyTextNormalization: optional(primitives.flag(), 'Whether numbers and dates are spelled out'),
  })),
}))

/** interface.md 2.3: when the assistant begins to speak. */
export function startSpeakingSchema(vocabulary: Vocabulary) {
  const endpointing = prefixedFields(vocabulary, 'Rtc', {
    BaseValue: optional(primitives.number(), 'Base value of smart endpointing'),
    ScaleValue: optional(primitives.number(), 'Scale value of smart endpointing'),
  })
  return named(
    'StartSpeakingOptions',
    z
      .strictObject({
        waitSeconds: optional(primitives.number(), 'Seconds to wait before speaking'),
        smartEndpointing: optional(wordString(vocabulary), 'Smart endpointing, for example Service'),
        onPunctuationSeconds: optional(primitives.number(), 'Seconds to wait after punctuation'),
        onNoPunctuationSeconds: optional(primitives.number(), 'Seconds to wait without punctuation'),
        onNumberSeconds: optional(primitives.number(), 'Seconds to wait after a number'),
        ...endpointing.shape,
      })
      .register(translations, { keys: endpointing.keys }),
  )
}

/** interface.md 2.3: when the assistant stops speaking because the user barges in. */
export const stopSpeakingSchema = strictSchema('StopSpeakingOptions', () => ({
  numberOfWords: optional(primitives.integer(), 'Words of the user that stop the assistant'),
  voiceSeconds: optional(primitives.number(), 'Seconds of the user’s voice that stop the assistant'),
}))

/** interface.md 2.3: how an early interruption is acknowledged. */
export const interruptionAckSchema = strictSchema('UserInterruptionAckPlan', () => ({
  enabled: optional(primitives.flag(), 'Whether interruptions are acknowledged'),
  count: optional(primitives.integer(), 'How many interruptions are acknowledged'),
  words: optional(primitives.integer(), 'Words after which an interruption counts'),
  phrases: optional(z.array(z.string()), 'Filler phrases spoken on early interruption'),
}))
