import * as z from 'zod/mini'
import { optional } from './fields.ts'
import { type Vocabulary, wordString } from './vocabulary.ts'

/** interface.md 2.2: one speech-to-text and several text-to-speech configurations. */
export const speechSchema = (vocabulary: Vocabulary) =>
  z.strictObject({
    stt: optional(
      z.strictObject({
        vendor: optional(wordString(vocabulary), 'Speech-to-text vendor'),
        languages: optional(z.string(), 'Language tag'),
      }),
      'Speech recognition',
    ),
    sttFallback: optional(
      z.strictObject({
        enabled: optional(z.boolean(), 'Whether the fallback is used'),
        vendor: optional(wordString(vocabulary), 'Speech-to-text vendor'),
        languages: optional(z.string(), 'Language tag'),
      }),
      'Speech recognition when the first one fails',
    ),
    ttsData: optional(z.array(voiceSchema(vocabulary)), 'One entry per text-to-speech configuration'),
  })

const voiceSchema = (vocabulary: Vocabulary) =>
  z.strictObject({
    enabled: optional(z.boolean(), 'Whether this configuration is used'),
    vendor: optional(wordString(vocabulary), 'Text-to-speech vendor'),
    language: optional(z.string(), 'Language tag'),
    voice: optional(z.string(), 'Voice identifier'),
    config: optional(
      z.strictObject({
        modelId: optional(z.string(), 'Speech model'),
        stability: optional(z.number(), 'Stability of the voice'),
        similarityBoost: optional(z.number(), 'Similarity to the original voice'),
        speakerBoost: optional(z.boolean(), 'Whether the speaker is boosted'),
        styleExaggeration: optional(z.number(), 'Exaggeration of the style'),
        seed: optional(z.int(), 'Seed for repeatable speech'),
        speed: optional(z.number(), 'Speed of speech'),
        applyTextNormalization: optional(z.boolean(), 'Whether numbers and dates are spelled out'),
      }),
      'Settings of the voice',
    ),
  })
