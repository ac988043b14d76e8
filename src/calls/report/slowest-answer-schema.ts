import * as z from 'zod/mini'
import { required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

/** The slowest answer of a call. */
export const slowestAnswerSchema = z.object({
  kind: required(z.enum(['answer', 'reply']), 'reply if no event tells when tools ran'),
  ms: required(z.number(), 'Time that the caller waited for it'),
  at: required(z.number(), 'Its start, milliseconds after that of the call'),
  after: required(z.string(), 'What the caller had said'),
})
export type SlowestAnswer = Immutable<z.infer<typeof slowestAnswerSchema>>
