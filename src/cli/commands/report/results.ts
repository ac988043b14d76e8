import * as z from 'zod/mini'
import { objectList, optional, required, requiredList } from '../../../interface/fields.ts'

// Result of report. See defineCommand.

const interval = {
  low: required(z.number(), 'Lower end of the interval at 95 %'),
  high: required(z.number(), 'Upper end of the interval at 95 %'),
}
const intervalSchema = z.object(interval)
const unitSchema = required(z.enum(['ms', 'share', 'number']), 'Unit of the values; a share is from 0 to 1')

const figureSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('share'),
    count: z.int(),
    of: required(z.int(), 'Number of samples'),
    share: z.number(),
    ...interval,
  }),
  z.object({
    kind: z.literal('values'),
    unit: unitSchema,
    count: required(z.int(), 'Number of samples'),
    mean: z.number(),
    min: z.number(),
    max: z.number(),
    p50: required(z.number(), 'Nearest rank: a value of the sample'),
    p90: z.number(),
    p95: z.number(),
    intervals: z.object({ p50: intervalSchema, p90: intervalSchema, p95: intervalSchema }),
  }),
  z.object({
    kind: z.literal('words'),
    of: required(z.int(), 'Number of samples'),
    words: requiredList('The first hundred, most frequent first', {
      word: z.string(),
      count: z.int(),
      share: z.number(),
      ...interval,
    }),
  }),
])

const figures = {
  calls: z.int(),
  metrics: required(
    z.record(z.string(), figureSchema),
    'Figures by metric (callyard help metrics); one without data is missing',
  ),
}

const command = required(z.nullable(z.string()), 'Command that shows the call')

const estimateSchema = z.object({
  value: z.number(),
  ...interval,
  of: required(z.int(), 'Number of samples'),
})

const questionsSchema = objectList({
  question: required(z.string(), 'Most frequent wording'),
  count: z.int(),
  calls: required(z.array(z.string()), 'The first hundred'),
})

const documentSchema = z.object({
  version: z.literal(1),
  sources: objectList({ kind: z.enum(['recording', 'batch', 'log', 'sandbox']), name: z.string() }),
  since: required(z.nullable(z.string()), 'Time of --since, ISO 8601'),
  timeZone: required(z.string(), 'Time zone of days and hours'),
  times: required(z.literal('messages'), 'Times are based on messages, not audio'),
  firstAt: required(z.nullable(z.string()), 'Start of the first call, ISO 8601'),
  lastAt: required(z.nullable(z.string()), 'Start of the last call, ISO 8601'),
  ...figures,
  by: required(z.nullable(z.string()), 'Grouping of --by'),
  groups: requiredList('Empty without --by', {
    name: required(z.nullable(z.string()), 'null if it is unknown'),
    ...figures,
  }),
  baseline: required(
    z.nullable(z.object({ sources: z.array(z.string()), ...figures })),
    'Figures of the calls of --compare',
  ),
  changes: required(
    z.nullable(
      objectList({
        metric: z.string(),
        statistic: z.enum(['share', 'p50', 'p90', 'p95']),
        word: optional(z.string(), 'Counted word of the metric'),
        unit: unitSchema,
        before: estimateSchema,
        after: estimateSchema,
        difference: intervalSchema,
        isBeyond: required(z.boolean(), 'True if the interval of the difference does not include 0'),
        isWorse: optional(
          z.boolean(),
          'Missing if the difference is within chance, or if neither direction is better',
        ),
      }),
    ),
    'Differences from the baseline; null without --compare',
  ),
  conditions: objectList({
    condition: z.string(),
    group: optional(z.nullable(z.string()), 'Group of a condition with by'),
    value: required(z.nullable(z.number()), 'null without data'),
    limit: required(z.nullable(z.number()), 'null if the baseline has no data'),
    holds: z.boolean(),
  }),
  slowest: requiredList('The hundred calls with the slowest answers', {
    call: z.string(),
    kind: required(z.enum(['answer', 'reply']), 'reply if no event tells when tools ran'),
    ms: required(z.number(), 'Time of the slowest answer of the call'),
    at: required(z.number(), 'Start of the reply, milliseconds after that of the call'),
    after: required(z.string(), 'What the caller had said'),
    command,
  }),
  problems: requiredList('The hundred worst calls, worst first', {
    call: z.string(),
    problems: z.array(z.string()),
    command,
  }),
  unanswered: required(questionsSchema, 'Unanswered questions, most frequent first'),
  repeated: required(questionsSchema, 'Questions that the caller asked again'),
})

export const reportResult = {
  document: z.union([
    documentSchema,
    z.object({
      file: required(z.string(), 'With --out: the file that was written'),
      format: z.string(),
      calls: z.int(),
    }),
  ]),
}
