import {
  type CallProblem,
  type ConditionProblem,
  isMetricName,
  type MetricName,
} from '../../calls/report/index.ts'
import { byCase } from '../../lib/by-case.ts'
import { listed } from '../../lib/text/count.ts'
import { meantHint } from '../../lib/text/did-you-mean.ts'
import { oneLine } from '../../lib/text/escape.ts'
import type { MessageText } from './words.ts'

interface MetricWords {
  readonly title: string
  /** Definition, for the help and the docs. */
  readonly what: string
}

/** Names and definitions of the metrics. */
export const metricWords = {
  outcome: {
    title: 'Outcome',
    what: 'Ended calls, by outcome: answered, forwarded, voicemail, no-answer, busy, failed or unclear',
  },
  'ended-by': {
    title: 'Ended by',
    what: 'Ended calls, by who ended them: user, assistant, system or forward',
  },
  duration: {
    title: 'Duration',
    what: 'From startAt to endAt; without these, from the first event to the last',
  },
  'first-word': { title: 'First word', what: 'Time from the start of a call until someone speaks' },
  reply: {
    title: 'Reply',
    what: "Time from the end of the caller's turn to the start of the assistant's reply",
  },
  answer: {
    title: 'Answer',
    what: 'Like reply, but skips messages while a tool runs, such as "One moment, please"; only for calls whose events show when tools run',
  },
  silence: { title: 'Silences', what: 'Length of each silence over 4 s' },
  silent: { title: 'Silent', what: 'Share of calls with a silence over 4 s' },
  interruptions: {
    title: 'Interruptions',
    what: 'How often the caller interrupted the assistant, per call',
  },
  interrupted: { title: 'Interrupted', what: 'Share of calls in which the caller interrupted the assistant' },
  'talk-share': { title: 'Talk share', what: "The assistant's share of the speaking time, per call" },
  'assistant-wpm': { title: 'Assistant wpm', what: 'Words per minute spoken by the assistant, per call' },
  'user-wpm': { title: 'User wpm', what: 'Words per minute spoken by the user, per call' },
  success: {
    title: 'Success',
    what: 'Share of evaluated calls that succeeded; a score counts from half of its scale',
  },
  score: { title: 'Score', what: 'Numeric success evaluations, converted to a scale of 10' },
  unanswered: {
    title: 'Unanswered',
    what: 'Share of calls with a question that was not answered, as in test gaps',
  },
  repeated: { title: 'Repeated', what: 'Share of calls in which the caller asked a question again' },
  transferred: { title: 'Transferred', what: 'Share of ended calls that were forwarded' },
  'opted-out': {
    title: 'Opted out',
    what: 'Share of calls in which the person asked not to be called again',
  },
  tools: { title: 'Tools', what: 'Tool calls, by name' },
  tool: { title: 'Tool time', what: 'Time from a tool call to its result' },
  'tool-failed': { title: 'Tool failed', what: 'Share of tool calls that failed' },
} as const satisfies Record<MetricName, MetricWords>

/** Title of a metric, also one of a tool or of a field of the structured data. */
export function metricTitle(name: string): string {
  return isMetricName(name) ? metricWords[name].title : oneLine(name)
}

/** Reasons to look at a call. */
export const callProblemWords = {
  failed: 'failed',
  unsuccessful: 'not successful',
  'tool-failed': 'tool failed',
  'slow-answer': 'slow answer',
  'slow-reply': 'slow reply',
  silent: 'silence',
  unanswered: 'question unanswered',
  repeated: 'question repeated',
  interrupted: 'interrupted',
  'opted-out': 'opted out',
} as const satisfies Record<CallProblem, string>

/** Explains why a condition cannot be read. */
export function conditionWords(problem: ConditionProblem): MessageText {
  const { allowed, near } = problem
  const choice = choiceOf(allowed)
  const hint = meantHint(near)
  return byCase('code', problem, {
    empty: () => ({ message: 'the condition is empty', hint: 'write one such as p95(reply) > 3s' }),
    'unknown-statistic': () => ({
      message: 'unknown function',
      hint: hint ?? 'use share, count, mean, min, max, or a percentile from p1 to p99',
    }),
    'unknown-metric': () => ({
      message: 'unknown metric',
      hint: hint ?? 'to list all metrics: callyard help metrics',
    }),
    'unknown-grouping': () => ({ message: 'unknown group', hint: hint ?? `use ${choice}` }),
    'needs-statistic': () => ({ message: 'expected a function', hint: `use ${choice}` }),
    'wrong-statistic': () => ({
      message: 'this function does not apply to this metric',
      hint: `use ${choice}`,
    }),
    'needs-word': () => ({
      message: 'expected a word to count',
      hint: 'add it after the metric, as in share(outcome busy) or share(ended by system)',
    }),
    'needs-window': () => ({
      message: 'expected a window',
      hint: 'add it after the figure, as in p95(reply) over 10m > 3s or success over last 50 calls < 80%',
    }),
    'needs-limit': () => ({ message: `expected a limit such as ${choice}` }),
    'needs-value': () => ({ message: `expected a value such as ${choice}` }),
    'wrong-unit': () => ({ message: `expected a limit such as ${choice}` }),
    expected: () => ({ message: allowed.length === 0 ? 'unexpected text' : `expected ${choice}`, hint }),
    'guard-only': () => ({
      message: 'over and no events are only supported in --guard rules',
      hint: 'a report has no time windows; to try the rule on a recording: callyard webhook replay <file> --guard <rules>',
    }),
    'report-only': () => ({
      message: 'baseline is only supported in report --fail',
      hint: 'compare with a number, such as success over last 50 calls < 80%',
    }),
  })
}

const maxAllowed = 6

/** Formats alternatives: `a, b or c`; the first ones of many. */
function choiceOf(allowed: readonly string[]): string {
  if (allowed.length > maxAllowed) return listed(allowed, maxAllowed, ', or one of')
  const last = allowed.at(-1) ?? ''
  return allowed.length < 2 ? last : `${allowed.slice(0, -1).join(', ')} or ${last}`
}
