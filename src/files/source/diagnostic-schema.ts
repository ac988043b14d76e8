import * as z from 'zod/mini'
import { optional, required } from '../../interface/fields.ts'
import { findingSchema } from '../../interface/finding-schema.ts'

export const positionSchema = z.object({
  line: required(z.int(), 'From 1'),
  column: required(z.int(), 'From 1, in UTF-16 code units'),
})

/** A finding in a file, as --json prints it. */
export const diagnosticSchema = z.extend(findingSchema, {
  file: z.string(),
  position: optional(positionSchema, 'Missing for a file that cannot be read'),
})
