import * as z from 'zod/mini'
import { optional, required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

/** Fields that were sent, and that the response lacks or has with another value. Values are left out: they may be secrets. */
export const notStoredSchema = optional(
  z.array(
    z.object({
      kind: z.enum(['assistant', 'tool', 'knowledge-base']),
      id: required(z.string(), 'Id of the record; of the knowledge base for entries'),
      field: z.string(),
      response: required(z.enum(['missing', 'different']), 'What the response has in place of what was sent'),
      entries: optional(z.int(), 'Number of entries of the knowledge base'),
    }),
  ),
  'Fields that the service did not store as they were sent',
)
export type NotStored = NonNullable<Immutable<z.infer<typeof notStoredSchema>>>[number]
