import * as z from 'zod'
import { type Vocabulary, wordString } from './vocabulary.ts'

/** interface.md 2.2: one speech-to-text and several text-to-speech configurations. */
export const speechSchema = (vocabulary: Vocabulary) =>
  z.strictObject({
    stt: z
      .strictObject({
        vendor: wordString(vocabulary).optional().describe('Speech-to-text vendor'),
        languages: z.string().optional().describe('Language tag'),
      })
      .optional()
      .describe('Speech recognition'),
    sttFallback: z
      .strictObject({
        enabled: z.boolean().optional().describe('Whether the fallback is used'),
        vendor: wordString(vocabulary).optional().describe('Speech-to-text vendor'),
        languages: z.string().optional().describe('Language tag'),
      })
      .optional()
      .describe('Speech recognition when the first one fails'),
    ttsData: z
      .array(voiceSchema(vocabulary))
      .optional()
      .describe('One entry per text-to-speech configuration'),
  })

const voiceSchema = (vocabulary: Vocabulary) =>
  z.strictObject({
    enabled: z.boolean().optional().describe('Whether this configuration is used'),
    vendor: wordString(vocabulary).optional().describe('Text-to-speech vendor'),
    language: z.string().optional().describe('Language tag'),
    voice: z.string().optional().describe('Voice identifier'),
    config: z
      .strictObject({
        modelId: z.string().optional().describe('Speech model'),
        stability: z.number().optional().describe('Stability of the voice'),
        similarityBoost: z.number().optional().describe('Similarity to the original voice'),
        speakerBoost: z.boolean().optional().describe('Whether the speaker is boosted'),
        styleExaggeration: z.number().optional().describe('Exaggeration of the style'),
        seed: z.int().optional().describe('Seed for repeatable speech'),
        speed: z.number().optional().describe('Speed of speech'),
        applyTextNormalization: z.boolean().optional().describe('Whether numbers and dates are spelled out'),
      })
      .optional()
      .describe('Settings of the voice'),
  })
