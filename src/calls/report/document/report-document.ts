import * as z from 'zod/mini'
import { objectList, optional, required, requiredList } from '../../../interface/fields.ts'
import type { CallFacts } from '../call-facts.ts'
import { type Figures, figuresFields } from '../figures.ts'
import { slowestAnswerSchema } from '../slowest-answer-schema.ts'
import type { CallsReport } from './build-report.ts'
import { figureChangeSchema } from './compare.ts'

const command = required(z.nullable(z.string()), 'Command that shows the call')

const questionsSchema = objectList({
  question: required(z.string(), 'Most frequent wording'),
  count: z.int(),
  calls: required(z.array(z.string()), 'The first hundred'),
})

/** A report, as --json prints it. */
export const reportDocumentSchema = z.object({
  version: z.literal(1),
  sources: objectList({ kind: z.enum(['recording', 'batch', 'log', 'sandbox']), name: z.string() }),
  since: required(z.nullable(z.string()), 'Calls that began earlier are left out, ISO 8601'),
  timeZone: required(z.string(), 'Time zone of days and hours'),
  times: required(z.literal('messages'), 'Times are based on messages, not audio'),
  firstAt: required(z.nullable(z.string()), 'Start of the first call, ISO 8601'),
  lastAt: required(z.nullable(z.string()), 'Start of the last call, ISO 8601'),
  ...figuresFields,
  by: required(z.nullable(z.string()), 'Grouping of the calls'),
  groups: requiredList('Empty without a grouping', {
    name: required(z.nullable(z.string()), 'null if it is unknown'),
    ...figuresFields,
  }),
  baseline: required(
    z.nullable(z.object({ sources: z.array(z.string()), ...figuresFields })),
    'Figures of the calls to compare with',
  ),
  changes: required(
    z.nullable(z.array(figureChangeSchema)),
    'Differences from the baseline; null without one',
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
    ...slowestAnswerSchema.shape,
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

interface DocumentOptions {
  /** Sources of the baseline. */
  readonly comparedWith: readonly string[]
  readonly timeZone: string
  readonly sources: readonly { readonly kind: string; readonly name: string }[]
  /** Milliseconds since the epoch. */
  readonly since: number | undefined
  commandFor(call: CallFacts): string | undefined
}

/** Words, calls and questions of a list. */
const maxListed = 100

/** Returns a report as `--json` prints it. */
export function reportDocument(report: CallsReport, options: DocumentOptions) {
  const { calls, total, baseline, by, groups, changes, verdicts, slowest, problems } = report
  const { sources, comparedWith, timeZone, since, commandFor } = options
  const times = calls.map(({ at }) => at)
  const at = (pick: (one: number, other: number) => number) =>
    times.length === 0 ? null : new Date(times.reduce((one, other) => pick(one, other))).toISOString()
  const commandOf = (call: CallFacts) => commandFor(call) ?? null
  return {
    version: 1 as const,
    sources: sources.map(({ kind, name }) => ({ kind, name })),
    since: since === undefined ? null : new Date(since).toISOString(),
    timeZone,
    times: 'messages' as const,
    firstAt: at(Math.min),
    lastAt: at(Math.max),
    ...toFigures(total),
    by: by ?? null,
    groups: groups.map(({ name, figures }) => ({ name, ...toFigures(figures) })),
    baseline: baseline === undefined ? null : { sources: comparedWith, ...toFigures(baseline) },
    changes: changes ?? null,
    conditions: verdicts.map(({ condition, group, value, limit, holds }) => ({
      condition: condition.text,
      ...(group === undefined ? {} : { group }),
      value: value ?? null,
      limit: limit ?? null,
      holds,
    })),
    slowest: slowest.slice(0, maxListed).flatMap(call => {
      const { slowest: reply } = call
      return reply === null ? [] : [{ call: call.call, ...reply, command: commandOf(call) }]
    }),
    problems: problems.slice(0, maxListed).map(({ call, problems: callProblems }) => ({
      call: call.call,
      problems: callProblems,
      command: commandOf(call),
    })),
    unanswered: report.unanswered.slice(0, maxListed).map(toQuestion),
    repeated: report.repeated.slice(0, maxListed).map(toQuestion),
  }
}

function toFigures({ calls, metrics }: Figures) {
  return {
    calls,
    metrics: Object.fromEntries(
      Array.from(metrics, ([name, figure]) => {
        if (figure.kind === 'words') return [name, { ...figure, words: figure.words.slice(0, maxListed) }]
        if (figure.kind === 'share') return [name, figure]
        const { sorted: _, ...rest } = figure
        return [name, rest]
      }),
    ),
  }
}

function toQuestion({ question, count, calls }: CallsReport['unanswered'][number]) {
  return { question, count, calls: calls.slice(0, maxListed) }
}
