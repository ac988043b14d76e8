import * as z from 'zod/mini'
import { objectList, optional, required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'
import { modelRoles } from '../verdict.ts'

/** Requests of a cassette, in the order of the calls, with their previous and their new response. */
export const cassetteChangeSchema = z.object({
  file: z.string(),
  responses: objectList({
    row: z.optional(z.int()),
    turn: z.int(),
    role: z.enum(modelRoles),
    request: required(z.string(), 'Newest message, or the prompt of an analysis or a judge'),
    before: optional(z.string(), 'Missing if none was recorded for this turn'),
    after: z.string(),
  }),
  removed: required(z.int(), 'Entries that no test requests any more'),
  unreadable: required(z.int(), 'Lines that cannot be read'),
  isUnused: required(z.boolean(), 'True if no test uses the file'),
})

export type ChangeDocument = Immutable<z.infer<typeof cassetteChangeSchema>>
