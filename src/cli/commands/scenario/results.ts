import * as z from 'zod/mini'
import { eventSchema, optional, required } from '../../../interface/fields.ts'
import { cassetteChangeSchema } from '../../../scenario/cassette/index.ts'
import { coverageSchema } from '../../../scenario/index.ts'
import { gapSchema } from '../../../scenario/record/gap-schema.ts'
import { recordedTestSchema } from '../../../scenario/record/recorded-test-schema.ts'
import { testRunSchema } from '../../../scenario/results/index.ts'
import { errorSchema } from '../failure-result.ts'

export const testResult = {
  document: z.union([
    z.extend(testRunSchema, {
      coverage: optional(coverageSchema, 'With --coverage, --min-coverage or an HTML report'),
      cassettes: optional(z.array(cassetteChangeSchema), 'With --update'),
    }),
    z.object({ tests: testRunSchema.shape.tests, error: errorSchema }),
  ]),
  /** With --watch. */
  event: z.union([
    eventSchema('run', { changed: required(z.array(z.string()), 'Files'), ...testRunSchema.shape }),
    eventSchema('invalid', { error: errorSchema }),
  ]),
}

export const testRecordResult = { document: z.object({ tests: z.array(recordedTestSchema) }) }

export const testGapsResult = {
  document: z.object({
    calls: required(z.int(), 'Number of calls that were read'),
    questions: required(z.int(), 'Number of questions without an answer'),
    groups: required(z.array(gapSchema), 'Most frequent first'),
    file: optional(z.string(), 'With --out: the file that was written'),
  }),
}
