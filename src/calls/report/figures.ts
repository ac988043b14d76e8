import { countBy } from '../../lib/group-by.ts'
import type { CallFacts } from './call-facts.ts'
import { type Metric, type MetricUnit, metricsOf } from './metrics.ts'
import { bootstrapIntervals, type Interval, percentileOf, wilsonInterval } from './statistics.ts'

export interface ShareFigure extends Interval {
  readonly kind: 'share'
  readonly count: number
  /** Number of samples. */
  readonly of: number
  readonly share: number
}

export interface ValuesFigure {
  readonly kind: 'values'
  readonly unit: MetricUnit
  readonly count: number
  readonly mean: number
  readonly min: number
  readonly max: number
  readonly p50: number
  readonly p90: number
  readonly p95: number
  /** Intervals of the percentiles. */
  readonly intervals: Readonly<Record<Percentile, Interval>>
  /** Ascending. */
  readonly sorted: Float64Array
}

export const percentiles = ['p50', 'p90', 'p95'] as const
export type Percentile = (typeof percentiles)[number]

export interface WordsFigure {
  readonly kind: 'words'
  /** Number of samples. */
  readonly of: number
  /** Most frequent first. */
  readonly words: readonly (Interval & {
    readonly word: string
    readonly count: number
    readonly share: number
  })[]
}

export type Figure = ShareFigure | ValuesFigure | WordsFigure

/** Figures of calls by metric. A metric without data is missing. */
export interface Figures {
  readonly calls: number
  readonly metrics: ReadonlyMap<string, Figure>
}

/** Computes the figures of calls. */
export function computeFigures(calls: readonly CallFacts[]): Figures {
  const found = new Map<string, Figure>()
  for (const [name, metric] of metricsOf(calls)) {
    const figure = computeFigure(calls, metric)
    if (figure !== undefined) found.set(name, figure)
  }
  return { calls: calls.length, metrics: found }
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
      .map(({ of: _, ...each }) => each)
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
