import * as z from 'zod/mini'
import { required, requiredList } from '../../interface/fields.ts'
import { countBy } from '../../lib/group-by.ts'
import type { Immutable } from '../../lib/json.ts'
import type { CallFacts } from './call-facts.ts'
import { type Metric, metricsOf, metricUnits } from './metrics.ts'
import { bootstrapIntervals, percentileOf, wilsonInterval } from './statistics.ts'

export const interval = {
  low: required(z.number(), 'Lower end of the interval at 95 %'),
  high: required(z.number(), 'Upper end of the interval at 95 %'),
}
export const intervalSchema = z.object(interval)
export const unitSchema = required(z.enum(metricUnits), 'Unit of the values; a share is from 0 to 1')

export const percentiles = ['p50', 'p90', 'p95'] as const

const shareFigureSchema = z.object({
  kind: z.literal('share'),
  count: z.int(),
  of: required(z.int(), 'Number of samples'),
  share: z.number(),
  ...interval,
})

const valuesFigureSchema = z.object({
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
})

const wordsFigureSchema = z.object({
  kind: z.literal('words'),
  of: required(z.int(), 'Number of samples'),
  words: requiredList('The first hundred, most frequent first', {
    word: z.string(),
    count: z.int(),
    share: z.number(),
    ...interval,
  }),
})

const figureSchema = z.discriminatedUnion('kind', [shareFigureSchema, valuesFigureSchema, wordsFigureSchema])

/** Fields of a set of calls: its figures, as --json prints them. */
export const figuresFields = {
  calls: z.int(),
  metrics: required(z.record(z.string(), figureSchema), 'Figures by metric; one without data is missing'),
}

export type ShareFigure = Immutable<z.infer<typeof shareFigureSchema>>

export interface ValuesFigure extends Immutable<z.infer<typeof valuesFigureSchema>> {
  /** Ascending. */
  readonly sorted: Float64Array
}

export type WordsFigure = Immutable<z.infer<typeof wordsFigureSchema>>

export type Figure = ShareFigure | ValuesFigure | WordsFigure

/** Figures of calls by metric. A metric without data is missing. */
export interface Figures {
  readonly calls: number
  readonly metrics: ReadonlyMap<string, Figure>
}

/** Computes the figures of calls. */
export function computeFigures(calls: readonly CallFacts[]): Figures {
  const figuresByName = new Map<string, Figure>()
  for (const [name, metric] of metricsOf(calls)) {
    const figure = computeFigure(calls, metric)
    if (figure !== undefined) figuresByName.set(name, figure)
  }
  return { calls: calls.length, metrics: figuresByName }
}

/** Computes the figure of a metric; undefined without data. */
export function computeFigure(calls: readonly CallFacts[], metric: Metric): Figure | undefined {
  if (metric.kind === 'values') return valuesFigure(calls, metric)
  if (metric.kind === 'words') return wordsFigure(calls.flatMap(metric.of))
  let [count, of] = [0, 0]
  for (const call of calls)
    for (const sample of metric.of(call)) {
      of += 1
      if (sample) count += 1
    }
  return of === 0 ? undefined : { kind: 'share', ...shareOf(count, of) }
}

function shareOf(count: number, of: number) {
  return { count, of, share: count / of, ...wilsonInterval(count, of) }
}

function wordsFigure(samples: readonly string[]): WordsFigure | undefined {
  if (samples.length === 0) return undefined
  const counts = countBy(samples, word => word)
  const { length: of } = samples
  const words = Array.from(counts, ([word, count]) => ({ word, ...shareOf(count, of) }))
  return {
    kind: 'words',
    of,
    words: words
      .map(({ of: _, ...figure }) => figure)
      .sort((one, other) => other.count - one.count || (one.word < other.word ? -1 : 1)),
  }
}

function valuesFigure(
  calls: readonly CallFacts[],
  { of, unit }: Extract<Metric, { kind: 'values' }>,
): ValuesFigure | undefined {
  const groups = calls.map(of).filter(({ length }) => length > 0)
  const sorted = Float64Array.from(groups.flat()).sort()
  if (sorted.length === 0) return undefined
  const [p50, p90, p95] = bootstrapIntervals(sorted, groups, [50, 90, 95])
  const none = { low: Number.NaN, high: Number.NaN }
  return {
    kind: 'values',
    unit,
    count: sorted.length,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    p50: percentileOf(sorted, 50),
    p90: percentileOf(sorted, 90),
    p95: percentileOf(sorted, 95),
    intervals: { p50: p50 ?? none, p90: p90 ?? none, p95: p95 ?? none },
    sorted,
  }
}
