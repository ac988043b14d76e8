import { callOutcomes, foldWord } from '../../../interface/words.ts'
import { readDuration } from '../../../lib/text/date-time.ts'
import { type Grouping, groupings } from '../groups.ts'
import { type Metric, type MetricUnit, metricFamilies, metricNames, metrics } from '../metrics.ts'
import { type ConditionProblem, describeProblem } from './condition-problem.ts'
import { createScanner, ProblemFound, type Scanner, type Token } from './condition-scanner.ts'

/**
 * A condition about figures of calls:
 *
 *     <figure> [over <window>] <operator> <limit> [by <grouping>]
 *     no events for <duration> [between <time> and <time>]
 *
 *     figure    share(busy) · count(ended by system) · p95(reply) · mean(duration) · success
 *     window    10m · last 50 calls
 *     operator  > · >= · < · <=
 *     limit     0.4 · 40% · 3s · 5 · baseline · baseline - 0.05
 */
export type Condition = FigureCondition | SilenceCondition

export interface FigureCondition {
  readonly kind: 'figure'
  readonly text: string
  readonly figure: ConditionFigure
  /** Unit of the limit. */
  readonly unit: MetricUnit
  readonly window: Window | undefined
  readonly operator: ConditionOperator
  readonly limit: Limit
  readonly by: Grouping | undefined
}

/** No event has arrived for a time. */
export interface SilenceCondition extends Silence {
  readonly kind: 'no-events'
  readonly text: string
}

interface Silence {
  readonly ms: number
  /** Minutes since midnight. */
  readonly between: { readonly from: number; readonly to: number } | undefined
}

/** `share`, `count`, `mean`, `min`, `max`, or a percentile from p1 to p99. */
export type Statistic = 'share' | 'count' | 'mean' | 'min' | 'max' | `p${number}`

export interface ConditionFigure {
  readonly statistic: Statistic
  /** Name of a metric, or `calls`. */
  readonly metric: string
  /** Word that is counted; only of a metric of words. */
  readonly word: string | undefined
}

export type Window =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'calls'; readonly calls: number }

const operators = ['>', '>=', '<', '<='] as const
export type ConditionOperator = (typeof operators)[number]

/** A number in the unit of the figure, or the figure of the baseline plus a number. */
export type Limit =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'baseline'; readonly add: number }

/** Parts of the language that a reader of conditions evaluates. */
interface ConditionParts {
  /** A window, which is required, and `no events`: those of live events. */
  readonly live: boolean
}

/** Parses a condition. */
export function parseCondition(
  text: string,
  { live }: ConditionParts,
): { readonly condition: Condition } | { readonly problem: ConditionProblem } {
  try {
    return { condition: readCondition(createScanner(text), text, live) }
  } catch (error) {
    if (error instanceof ProblemFound)
      return { problem: { ...error.problem, ...describeProblem(error.problem) } }
    throw error
  }
}

function readCondition(scanner: Scanner, text: string, live: boolean): Condition {
  if (text.trim() === '') scanner.fail('empty', { text, start: 0 })
  const silence = scanner.take(/no\s+events\b/)
  if (silence !== undefined) {
    if (!live) return scanner.fail('guard-only', silence)
    return { kind: 'no-events', text, ...readSilence(scanner) }
  }
  if (live && scanner.take(/no\b(?!-)/) !== undefined) scanner.expect(/events\b/, 'events')
  const { figure, unit } = readFigure(scanner)
  const over = scanner.take(/over\b/)
  if (over !== undefined && !live) scanner.fail('guard-only', over)
  const window = over === undefined ? undefined : readWindow(scanner)
  const sign = scanner.expect(/>=|<=|>|</, ...operators)
  const operator = operators.find(candidate => candidate === sign.text) ?? '>'
  const limit = readLimit(scanner, unit, live)
  if (live && window === undefined)
    scanner.fail('needs-window', { text: text.slice(0, sign.start).trimEnd(), start: 0 })
  const by = scanner.take(/by\b/) === undefined ? undefined : readGrouping(scanner)
  scanner.expectEnd(...(by === undefined ? ['by'] : []))
  return { kind: 'figure', text, figure, unit, window, operator, limit, by }
}

interface ReadFigure {
  readonly figure: ConditionFigure
  readonly unit: MetricUnit
}

function readFigure(scanner: Scanner): ReadFigure {
  const name = scanner.expect(/[^\s()<>=]+/, ...metricNames, 'share(…)', 'p95(…)')
  const open = scanner.take(/\(/)
  if (open === undefined) return readPlainFigure(scanner, name)
  const statistic = statisticNames.find(candidate => candidate === name.text) ?? percentileName(name.text)
  if (statistic === undefined) return scanner.fail('unknown-statistic', name, statisticNames)
  const inner = scanner.expect(/[^()]*[^()\s]/, ...metricNames)
  scanner.expect(/\)/, ')')
  const subject = readSubject(scanner, inner)
  const allowed = statisticsOf(subject.kind, subject.word)
  if (
    !allowed.some(
      allowedStatistic =>
        allowedStatistic === statistic || (allowedStatistic === 'p95' && statistic.startsWith('p')),
    )
  )
    return scanner.fail(
      subject.kind === 'words' && subject.word === undefined ? 'needs-word' : 'wrong-statistic',
      name,
      allowed,
    )
  const unit = statistic === 'share' ? 'share' : statistic === 'count' ? 'number' : subject.unit
  return { figure: { statistic, metric: subject.metric, word: subject.word }, unit }
}

/** A share, or the number of calls, needs no statistic. */
function readPlainFigure(scanner: Scanner, name: Token): ReadFigure {
  const { metric, word, kind } = readSubject(scanner, name)
  if (metric === 'calls') return { figure: { statistic: 'count', metric, word }, unit: 'number' }
  if (kind === 'share' || word !== undefined)
    return { figure: { statistic: 'share', metric, word }, unit: 'share' }
  return scanner.fail(
    'needs-statistic',
    name,
    statisticsOf(kind, word).map(statistic => `${statistic}(${name.text})`),
  )
}

const statisticNames: readonly Statistic[] = ['share', 'count', 'mean', 'min', 'max', 'p50', 'p90', 'p95']

function percentileName(text: string): Statistic | undefined {
  return /^p[1-9]\d?$/.test(text) ? `p${Number(text.slice(1))}` : undefined
}

interface Subject {
  readonly metric: string
  readonly word: string | undefined
  /** `any`: structured data, whose kind is known once it is read. */
  readonly kind: Metric['kind'] | 'calls' | 'any'
  readonly unit: MetricUnit
}

function statisticsOf(kind: Subject['kind'], word: string | undefined): readonly Statistic[] {
  if (kind === 'calls') return ['count']
  if (kind === 'share' || word !== undefined) return ['share', 'count']
  if (kind === 'words') return ['count']
  return ['p50', 'p90', 'p95', 'mean', 'min', 'max', 'count']
}

/** Reads `reply`, `no-answer`, `ended by system` or `data.topic opening hours`. */
function readSubject(scanner: Scanner, token: Token): Subject {
  const words = token.text.trim().split(/\s+/)
  if (token.text === 'calls') return { metric: 'calls', word: undefined, kind: 'calls', unit: 'number' }
  const outcome = callOutcomes.find(candidate => candidate === foldWord(words.join('-')))
  if (outcome !== undefined) return { metric: 'outcome', word: outcome, kind: 'words', unit: 'number' }
  for (let count = words.length; count > 0; count--) {
    const name = words.slice(0, count).join('-')
    const rest = words.slice(count).join(' ')
    const word = rest === '' ? undefined : rest
    const metricName = metricNames.find(candidate => candidate === name.toLowerCase())
    if (metricName !== undefined && (word === undefined || metrics[metricName].kind === 'words')) {
      const metric: Metric = metrics[metricName]
      return {
        metric: metricName,
        word,
        kind: metric.kind,
        unit: metric.kind === 'values' ? metric.unit : 'number',
      }
    }
    const family = metricFamilies.find(
      candidate => name.startsWith(candidate) && name.length > candidate.length,
    )
    if (family === undefined || (word !== undefined && family !== 'data.')) continue
    const member = { metric: words.slice(0, count).join(' '), word }
    if (family === 'tool.') return { ...member, kind: 'values', unit: 'ms' }
    if (family === 'tool-failed.') return { ...member, kind: 'share', unit: 'share' }
    if (count === 1) return { ...member, kind: word === undefined ? 'any' : 'words', unit: 'number' }
  }
  return scanner.fail('unknown-metric', token, [...metricNames, ...callOutcomes, 'calls'])
}

function readWindow(scanner: Scanner): Window {
  if (scanner.take(/last\b/) === undefined)
    return { kind: 'time', ms: readTimeSpan(scanner, 'last 50 calls') }
  const calls = Number((scanner.take(/[1-9]\d{0,5}\b/) ?? scanner.failHere('needs-value', ['50'])).text)
  scanner.expect(/calls?\b/, 'calls')
  return { kind: 'calls', calls }
}

function readSilence(scanner: Scanner): Silence {
  scanner.expect(/for\b/, 'for')
  const ms = readTimeSpan(scanner)
  if (scanner.take(/between\b/) === undefined) {
    scanner.expectEnd('between')
    return { ms, between: undefined }
  }
  const from = readTimeOfDay(scanner, '09:00')
  scanner.expect(/and\b/, 'and')
  const to = readTimeOfDay(scanner, '18:00', from)
  scanner.expectEnd()
  return { ms, between: { from, to } }
}

function readTimeSpan(scanner: Scanner, ...others: readonly string[]): number {
  const examples = ['10m', ...others]
  const token = scanner.take(/\d+(?:\.\d+)?[a-z]+/) ?? scanner.failHere('needs-value', examples)
  const ms = readDuration(token.text)
  return ms === undefined || ms === 0 ? scanner.fail('needs-value', token, examples) : ms
}

/** Reads a time of day in minutes. Rejects one that equals `earlier`, because the range would be empty. */
function readTimeOfDay(scanner: Scanner, example: string, earlier?: number): number {
  const token = scanner.take(/(?:[01]\d|2[0-3]):[0-5]\d\b/) ?? scanner.failHere('needs-value', [example])
  const [hours = 0, minutes = 0] = token.text.split(':').map(Number)
  const time = hours * 60 + minutes
  return time === earlier ? scanner.fail('needs-value', token, [example]) : time
}

function readLimit(scanner: Scanner, unit: MetricUnit, live: boolean): Limit {
  const baseline = scanner.take(/baseline\b/)
  if (baseline === undefined) return { kind: 'number', value: readNumber(scanner, unit, 'baseline') }
  if (live) scanner.fail('report-only', baseline)
  const sign = scanner.take(/[+-]/)
  if (sign === undefined) return { kind: 'baseline', add: 0 }
  const number = readNumber(scanner, unit)
  return { kind: 'baseline', add: sign.text === '-' ? -number : number }
}

const examples: Readonly<Record<MetricUnit, readonly string[]>> = {
  ms: ['3s', '500ms'],
  share: ['0.4', '40%'],
  number: ['5'],
}

function readNumber(scanner: Scanner, unit: MetricUnit, ...others: readonly string[]): number {
  const token =
    scanner.take(/\d[\d.]*(?:%|[a-z]+)?/) ?? scanner.failHere('needs-limit', [...examples[unit], ...others])
  const value =
    unit === 'ms'
      ? readDuration(token.text)
      : /^\d+(\.\d+)?$/.test(token.text)
        ? Number(token.text)
        : unit === 'share' && /^\d+(\.\d+)?%$/.test(token.text)
          ? Number.parseFloat(token.text) / 100
          : undefined
  if (value === undefined || (unit === 'share' && value > 1))
    return scanner.fail('wrong-unit', token, examples[unit])
  return value
}

function readGrouping(scanner: Scanner): Grouping {
  const token = scanner.expect(/[^\s]+/, ...groupings)
  return (
    groupings.find(grouping => grouping === token.text) ?? scanner.fail('unknown-grouping', token, groupings)
  )
}
