import * as z from 'zod'
import { vocabularySchema } from './vocabulary.ts'

/** callwright.yaml: the settings that a folder of assistant files shares. Not part of the service's interface. */
export const projectSchema = z.strictObject({
  profile: z.string().min(1).optional().describe('Profile to use in this folder'),
  baseUrl: z.string().min(1).optional().describe('Base URL of the service'),
  vocabulary: vocabularySchema.optional(),
})

export type Project = z.infer<typeof projectSchema>
