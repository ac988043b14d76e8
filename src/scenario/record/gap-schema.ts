import * as z from 'zod/mini'
import { optional, required } from '../../interface/fields.ts'
import type { Immutable } from '../../lib/json.ts'

/** Questions that count as equal, with the nearest entry of the project. */
export const gapSchema = z.object({
  question: required(z.string(), 'Most frequent wording'),
  variants: required(z.array(z.string()), 'Other wordings, most frequent first'),
  count: z.int(),
  calls: required(z.array(z.string()), 'Ids or names, in the order of the recording'),
  reasons: required(
    z.object({
      fallback: optional(z.int(), 'Replies that the assistant does not know'),
      success: optional(z.int(), 'Calls that the analysis judges unsuccessful'),
      data: optional(z.int(), 'Open questions in the data of the analysis'),
    }),
    'Number of questions by evidence',
  ),
  nearest: optional(
    z.object({
      question: z.string(),
      file: z.string(),
      line: z.optional(z.int()),
      score: z.number(),
      share: required(z.number(), 'Share of the words of the question that match, 0 to 1'),
    }),
    'Entry of the project that is nearest',
  ),
})
export type Gap = Immutable<z.infer<typeof gapSchema>>

export type QuestionGroup = Omit<Gap, 'nearest'>

/** Evidence that a question had no helpful reply. */
export type GapReason = keyof Gap['reasons']
