import type { CallFacts } from '../call-facts.ts'
import { groupCalls } from '../groups.ts'
import { findMetric } from '../metrics.ts'
import { percentileOf } from '../statistics.ts'
import type { ConditionFigure, ConditionOperator, FigureCondition } from './condition.ts'

/** Result of a condition for all calls, or for one of their groups. */
export interface Verdict {
  readonly condition: FigureCondition
  /** Undefined unless the condition has a grouping; null for the group whose name is unknown. */
  readonly group: string | null | undefined
  /** Undefined without data. */
  readonly value: number | undefined
  /** Undefined if the baseline has no data. */
  readonly limit: number | undefined
  readonly holds: boolean
}

/**
 * Evaluates a condition for calls: once, or once for each group. `baseline` has the calls that they are compared with; a group is compared
 * with the group of the same name.
 */
export function evaluateCondition(
  condition: FigureCondition,
  calls: readonly CallFacts[],
  baseline: readonly CallFacts[] = [],
): Verdict[] {
  const { by } = condition
  if (by === undefined) return [toVerdict(condition, undefined, calls, baseline)]
  const before = new Map(groupCalls(baseline, by))
  const groups = groupCalls(calls, by).map(([name, ofGroup]) =>
    toVerdict(condition, name, ofGroup, before.get(name) ?? []),
  )
  // A group without data, such as unanswered calls without replies, tells nothing.
  const measuredGroups = groups.filter(({ value }) => value !== undefined)
  return measuredGroups.length > 0 ? measuredGroups : [toVerdict(condition, undefined, [], [])]
}

function toVerdict(
  condition: FigureCondition,
  group: string | null | undefined,
  calls: readonly CallFacts[],
  baseline: readonly CallFacts[],
): Verdict {
  const { figure, limit: threshold, operator } = condition
  const value = measureFigure(figure, calls)
  const base = threshold.kind === 'baseline' ? measureFigure(figure, baseline) : 0
  const limit =
    base === undefined ? undefined : threshold.kind === 'number' ? threshold.value : base + threshold.add
  return { condition, group, value, limit, holds: isBeyond(value, operator, limit) }
}

function isBeyond(
  value: number | undefined,
  operator: ConditionOperator,
  limit: number | undefined,
): boolean {
  if (value === undefined || limit === undefined) return false
  if (operator === '>') return value > limit
  if (operator === '<') return value < limit
  return operator === '>=' ? value >= limit : value <= limit
}

/** Returns the figure of a condition; undefined without data. */
export function measureFigure(figure: ConditionFigure, calls: readonly CallFacts[]): number | undefined {
  const { metric: name, statistic, word } = figure
  if (name === 'calls') return calls.length
  const metric = findMetric(name, calls)
  if (metric === undefined) return undefined
  if (metric.kind === 'values') return statisticOf(statistic, calls.flatMap(metric.of))
  const hits: readonly boolean[] =
    metric.kind === 'share'
      ? calls.flatMap(metric.of)
      : calls
          .flatMap(metric.of)
          .map(value => word === undefined || value.toLowerCase() === word.toLowerCase())
  if (hits.length === 0) return undefined
  const count = hits.filter(Boolean).length
  return statistic === 'count' ? count : statistic === 'share' ? count / hits.length : undefined
}

/** Returns the calls to look at if a condition holds: those that count towards it, or for a distribution the most extreme ones first. */
export function findCallsBehind(
  { figure: { metric: name, word }, operator }: FigureCondition,
  calls: readonly CallFacts[],
): CallFacts[] {
  const metric = findMetric(name, calls)
  if (metric === undefined) return [...calls]
  const isTooHigh = operator.startsWith('>')
  if (metric.kind === 'share')
    return calls.filter(call => metric.of(call).some(sample => sample === isTooHigh))
  if (metric.kind === 'words') {
    const isCounted = (value: string) => word === undefined || value.toLowerCase() === word.toLowerCase()
    return calls.filter(call => metric.of(call).some(value => isCounted(value) === isTooHigh))
  }
  const sign = isTooHigh ? 1 : -1
  return calls
    .map(call => ({ call, extreme: Math.max(...metric.of(call).map(value => sign * value)) }))
    .filter(({ extreme }) => extreme !== Number.NEGATIVE_INFINITY)
    .sort((one, other) => other.extreme - one.extreme)
    .map(({ call }) => call)
}

function statisticOf(statistic: ConditionFigure['statistic'], values: readonly number[]): number | undefined {
  if (values.length === 0 || statistic === 'share') return undefined
  if (statistic === 'count') return values.length
  if (statistic === 'mean') return values.reduce((sum, value) => sum + value, 0) / values.length
  const sorted = Float64Array.from(values).sort()
  if (statistic === 'min') return sorted[0]
  return statistic === 'max' ? sorted.at(-1) : percentileOf(sorted, Number(statistic.slice(1)))
}
