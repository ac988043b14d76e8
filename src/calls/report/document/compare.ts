import * as z from 'zod/mini'
import { optional, required } from '../../../interface/fields.ts'
import type { Immutable } from '../../../lib/json.ts'
import {
  type Figure,
  type Figures,
  interval,
  intervalSchema,
  percentiles,
  unitSchema,
  type ValuesFigure,
} from '../figures.ts'
import { metrics } from '../metrics.ts'
import { differenceInterval, wilsonInterval } from '../statistics.ts'

const estimateSchema = z.object({
  value: z.number(),
  ...interval,
  of: required(z.int(), 'Number of samples'),
})

/** A statistic of a metric, before and after. */
export const figureChangeSchema = z.object({
  metric: z.string(),
  statistic: z.enum(['share', ...percentiles]),
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
})
export type FigureChange = Immutable<z.infer<typeof figureChangeSchema>>

/** Words of a metric that are compared, most frequent first. */
const maxWords = 20

/** Compares the figures of two sets of calls. A metric that only one of them has is left out. */
export function compareFigures(before: Figures, after: Figures): FigureChange[] {
  return [...after.metrics].flatMap(([name, figure]) => {
    const old = before.metrics.get(name)
    return old === undefined ? [] : compareFigure(name, old, figure)
  })
}

function compareFigure(metric: string, before: Figure, after: Figure): FigureChange[] {
  if (before.kind === 'share' && after.kind === 'share') {
    const estimates = [before, after].map(({ share, of, low, high }) => ({ value: share, of, low, high }))
    return [toChange({ metric, statistic: 'share', unit: 'share' }, estimates)]
  }
  if (before.kind === 'values' && after.kind === 'values')
    return percentiles.map(statistic => {
      const estimateOf = (figure: ValuesFigure) => ({
        value: figure[statistic],
        of: figure.count,
        ...figure.intervals[statistic],
      })
      return toChange({ metric, statistic, unit: after.unit }, [estimateOf(before), estimateOf(after)])
    })
  if (before.kind !== 'words' || after.kind !== 'words') return []
  const words = [...new Set([...after.words, ...before.words].map(({ word }) => word))].slice(0, maxWords)
  return words.map(word => {
    const estimates = [before, after].map(figure => {
      const match = figure.words.find(wordShare => wordShare.word === word)
      const { share: value, low, high } = match ?? { share: 0, ...wilsonInterval(0, figure.of) }
      return { value, low, high, of: figure.of }
    })
    return toChange({ metric, statistic: 'share', word, unit: 'share' }, estimates)
  })
}

interface ComparedFigure {
  readonly metric: string
  readonly statistic: FigureChange['statistic']
  readonly word?: string
  readonly unit: FigureChange['unit']
}

function toChange(
  figure: ComparedFigure,
  [before = noEstimate, after = noEstimate]: readonly FigureChange['before'][],
): FigureChange {
  const difference = differenceInterval(before, after)
  const isBeyond = difference.low > 0 || difference.high < 0
  const worst = isBeyond ? badEndOf(figure.metric) : undefined
  const isHigher = after.value > before.value
  const isWorse = worst === undefined ? undefined : isHigher === (worst === 'high')
  return { ...figure, before, after, difference, isBeyond, isWorse }
}

const noEstimate = { value: Number.NaN, low: Number.NaN, high: Number.NaN, of: 0 }

function badEndOf(metric: string): 'high' | 'low' | undefined {
  const [family = ''] = metric.split('.', 1)
  const definition = Object.entries(metrics).find(([name]) => name === metric || name === family)?.[1]
  return definition !== undefined && 'worst' in definition ? definition.worst : undefined
}
