import * as z from 'zod/mini'
import { vocabularySchema } from '../interface/vocabulary.ts'

// Loose: what a later version wrote is kept.
export const profileSchema = z.looseObject({
  baseUrl: z.string(),
  apiKey: z.string(),
  /** Token for the control API of a running sandbox. */
  controlToken: z.optional(z.string()),
  vocabulary: z.optional(vocabularySchema()),
})

export const storeSchema = z.looseObject({
  current: z.optional(z.string()),
  profiles: z._default(z.record(z.string(), profileSchema), {}),
})

export type Profile = z.infer<typeof profileSchema>
export type ProfileStore = z.infer<typeof storeSchema>
