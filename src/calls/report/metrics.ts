import { oneLine } from '../../lib/text/escape.ts'
import type { CallFacts, FactPart } from './call-facts.ts'

interface Definition<Sample> {
  /** Samples of a call; empty if it has no data. */
  of(call: CallFacts): readonly Sample[]
  /** Part of the facts that it needs. */
  readonly part?: FactPart
  /** End of the scale that is bad, if there is one. */
  readonly worst?: 'high' | 'low'
}

/** Share of samples that are true. */
interface ShareMetric extends Definition<boolean> {
  readonly kind: 'share'
}

/** Distribution of numbers. */
interface ValuesMetric extends Definition<number> {
  readonly kind: 'values'
  readonly unit: MetricUnit
}

/** Counts of words. */
interface WordsMetric extends Definition<string> {
  readonly kind: 'words'
}

/** `share`: 0 to 1. */
export const metricUnits = ['ms', 'share', 'number'] as const
export type MetricUnit = (typeof metricUnits)[number]

export type Metric = ShareMetric | ValuesMetric | WordsMetric

/** Every metric, each declared here alone; docs/reports.md defines them. */
export const metrics = {
  outcome: { title: 'Outcome', kind: 'words', of: ({ outcome }) => present(outcome) },
  'ended-by': { title: 'Ended by', kind: 'words', of: ({ endedBy }) => present(endedBy) },
  duration: { title: 'Duration', kind: 'values', unit: 'ms', of: ({ durationMs }) => present(durationMs) },
  'first-word': {
    title: 'First word',
    kind: 'values',
    part: 'timeline',
    unit: 'ms',
    worst: 'high',
    of: call => present(call.firstWordMs),
  },
  reply: {
    title: 'Reply',
    kind: 'values',
    part: 'timeline',
    unit: 'ms',
    worst: 'high',
    of: ({ replies }) => replies,
  },
  answer: {
    title: 'Answer',
    kind: 'values',
    part: 'answers',
    unit: 'ms',
    worst: 'high',
    of: ({ answers }) => answers ?? [],
  },
  silence: {
    title: 'Silences',
    kind: 'values',
    part: 'timeline',
    unit: 'ms',
    worst: 'high',
    of: ({ silences }) => silences ?? [],
  },
  silent: {
    title: 'Silent',
    kind: 'share',
    part: 'timeline',
    worst: 'high',
    of: ({ silences }) => holds(silences, ({ length }) => length > 0),
  },
  interruptions: {
    title: 'Interruptions',
    kind: 'values',
    part: 'interruptions',
    unit: 'number',
    worst: 'high',
    of: call => present(call.interruptions),
  },
  interrupted: {
    title: 'Interrupted',
    kind: 'share',
    part: 'interruptions',
    worst: 'high',
    of: call => holds(call.interruptions, number => number > 0),
  },
  'talk-share': { title: 'Talk share', kind: 'values', part: 'timeline', unit: 'share', of: talkShare },
  'assistant-wpm': {
    title: 'Assistant wpm',
    kind: 'values',
    part: 'words',
    unit: 'number',
    of: call => wordsPerMinute(call, 'assistant'),
  },
  'user-wpm': {
    title: 'User wpm',
    kind: 'values',
    part: 'words',
    unit: 'number',
    of: call => wordsPerMinute(call, 'user'),
  },
  success: { title: 'Success', kind: 'share', worst: 'low', of: ({ success }) => present(success?.passed) },
  score: {
    title: 'Score',
    kind: 'values',
    unit: 'number',
    worst: 'low',
    of: ({ success }) => present(success?.score),
  },
  unanswered: {
    title: 'Unanswered',
    kind: 'share',
    part: 'unanswered',
    worst: 'high',
    of: call => holds(call.unanswered, ({ length }) => length > 0),
  },
  repeated: {
    title: 'Repeated',
    kind: 'share',
    part: 'repeated',
    worst: 'high',
    of: call => holds(call.repeated, ({ length }) => length > 0),
  },
  transferred: { title: 'Transferred', kind: 'share', of: ({ isTransferred }) => present(isTransferred) },
  'opted-out': {
    title: 'Opted out',
    kind: 'share',
    part: 'opt-out',
    worst: 'high',
    of: ({ isOptedOut }) => present(isOptedOut),
  },
  tools: { title: 'Tools', kind: 'words', part: 'tools', of: ({ tools }) => tools.map(({ name }) => name) },
  tool: {
    title: 'Tool time',
    kind: 'values',
    part: 'tools',
    unit: 'ms',
    worst: 'high',
    of: ({ tools }) => tools.flatMap(({ ms }) => present(ms)),
  },
  'tool-failed': {
    title: 'Tool failed',
    kind: 'share',
    part: 'tools',
    worst: 'high',
    of: ({ tools }) => tools.map(({ isFailed }) => isFailed),
  },
} as const satisfies Record<string, Metric & { readonly title: string }>

export type MetricName = keyof typeof metrics

export const metricNames = Object.keys(metrics) as readonly MetricName[]

export function isMetricName(name: string): name is MetricName {
  return Object.hasOwn(metrics, name)
}

/** Title of a metric, also one of a tool or of a field of the structured data. */
export function metricTitle(name: string): string {
  return isMetricName(name) ? metrics[name].title : oneLine(name)
}

/** Returns the parts of the facts that metrics need. */
export function partsOf(names: readonly string[]): ReadonlySet<FactPart> {
  return new Set(
    names.flatMap((name): FactPart[] => {
      const metric: Metric | undefined = isMetricName(name) ? metrics[name] : undefined
      return metric === undefined ? (name.startsWith('tool') ? ['tools'] : []) : present(metric.part)
    }),
  )
}

/** Prefixes of metrics of one tool, or of one field of the structured data. */
export const metricFamilies = ['tool.', 'tool-failed.', 'data.'] as const

/** Fields and tools of a report, each. */
const maxMembers = 100

/** Returns the metrics of these calls by name: the defined ones, and those of their tools and structured data. */
export function metricsOf(calls: readonly CallFacts[]): ReadonlyMap<string, Metric> {
  const metricsByName = new Map<string, Metric>(Object.entries(metrics))
  const tools = new Set<string>()
  const fields = new Map<string, boolean>()
  for (const { tools: used, data } of calls) {
    for (const { name } of used) if (tools.size < maxMembers) tools.add(name)
    for (const [field, values] of Object.entries(data)) {
      if (!fields.has(field) && fields.size >= maxMembers) continue
      fields.set(field, (fields.get(field) ?? true) && values.every(value => typeof value === 'number'))
    }
  }
  for (const name of tools) {
    metricsByName.set(`tool.${name}`, toolMetric(name))
    metricsByName.set(`tool-failed.${name}`, toolFailedMetric(name))
  }
  for (const [field, isNumeric] of fields) metricsByName.set(`data.${field}`, dataMetric(field, isNumeric))
  return metricsByName
}

/** Returns the metric with this name; undefined if these calls have no such tool or field. */
export function findMetric(name: string, calls: readonly CallFacts[]): Metric | undefined {
  const metricName = metricNames.find(candidate => candidate === name)
  return metricName === undefined ? metricsOf(calls).get(name) : metrics[metricName]
}

function toolMetric(name: string): Metric {
  return { ...metrics.tool, of: call => usesOf(call, name).flatMap(({ ms }) => present(ms)) }
}

function toolFailedMetric(name: string): Metric {
  return { ...metrics['tool-failed'], of: call => usesOf(call, name).map(({ isFailed }) => isFailed) }
}

function usesOf({ tools }: CallFacts, name: string): CallFacts['tools'] {
  return tools.filter(tool => tool.name === name)
}

function dataMetric(field: string, isNumeric: boolean): Metric {
  const valuesOf = ({ data }: CallFacts) => (Object.hasOwn(data, field) ? (data[field] ?? []) : [])
  return isNumeric
    ? {
        kind: 'values',
        unit: 'number',
        of: call => valuesOf(call).filter(value => typeof value === 'number'),
      }
    : { kind: 'words', of: call => valuesOf(call).map(String) }
}

function talkShare({ talk }: CallFacts): number[] {
  const total = talk === null ? 0 : talk.assistantMs + talk.userMs
  return talk === null || total === 0 ? [] : [talk.assistantMs / total]
}

function wordsPerMinute({ words, durationMs }: CallFacts, side: 'assistant' | 'user'): number[] {
  return words === null || durationMs === null || durationMs === 0
    ? []
    : [words[side] / (durationMs / 60_000)]
}

function present<Value>(value: Value | null | undefined): Value[] {
  return value === null || value === undefined ? [] : [value]
}

function holds<Value>(value: Value | null, test: (value: Value) => boolean): boolean[] {
  return value === null ? [] : [test(value)]
}
