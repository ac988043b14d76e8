import * as z from 'zod/mini'
import { objectList, optional, required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

/** A test that was made from a recorded call. */
export const recordedTestSchema = z.object({
  callId: z.nullable(z.string()),
  file: z.optional(z.string()),
  test: optional(z.string(), 'YAML of the test, if it is not written to a file'),
  turns: z.int(),
  expectations: z.int(),
  proposed: required(z.int(), 'Number of expectations in comments'),
  notes: objectList({
    code: z.enum(['unknown-assistant', 'unknown-tool', 'unknown-answer']),
    id: z.optional(z.string()),
    name: z.optional(z.string()),
  }),
})
export type RecordedTest = Immutable<z.infer<typeof recordedTestSchema>>
