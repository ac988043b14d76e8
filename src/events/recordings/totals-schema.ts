import * as z from 'zod/mini'
import { optional, required } from '../../interface/fields.ts'

export const recorderTotalsSchema = z.object({
  recorded: z.int(),
  missing: required(z.int(), 'Events that were rejected because they could not be written'),
  missingSince: optional(z.string(), 'ISO 8601'),
})
