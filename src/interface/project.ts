import * as z from 'zod/mini'
import { optional, someText } from './fields.ts'
import { vocabularySchema } from './vocabulary.ts'

/** callwright.yaml: the settings that a folder of assistant files shares. Not part of the service's interface. */
export const projectSchema = z.strictObject({
  profile: optional(someText(), 'Profile to use in this folder'),
  baseUrl: optional(someText(), 'Base URL of the service'),
  vocabulary: z.optional(vocabularySchema),
})

export type Project = z.infer<typeof projectSchema>
