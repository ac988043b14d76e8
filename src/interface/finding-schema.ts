import * as z from 'zod/mini'
import { fieldPath, optional, required } from './fields.ts'

/** One finding about a value: which field, what is wrong, what is allowed. */
export const findingSchema = z.object({
  code: required(z.string(), 'Stable, in kebab case: unknown-key, missing, wrong-type, …'),
  severity: z.enum(['error', 'warning']),
  path: fieldPath(),
  at: required(z.enum(['key', 'value']), 'Part of the field that the finding is about'),
  message: z.string(),
  hint: optional(z.string(), 'What to do next'),
})
