import { byCase } from '../lib/by-case.ts'
import { listed } from '../lib/text/count.ts'
import { meantHint } from '../lib/text/did-you-mean.ts'
import { oneLine } from '../lib/text/escape.ts'
import { type CallProblem, type ConditionProblem, isMetricName, type MetricName } from '../report/index.ts'
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
    what: 'Ended calls by outcome: answered, forwarded, voicemail, no-answer, busy, failed or unclear',
  },
  'ended-by': {
    title: 'Ended by',
    what: 'Ended calls by who ended them: user, assistant, system or forward',
  },
  duration: { title: 'Duration', what: 'From startAt to endAt of a call, or else between its events' },
  'first-word': { title: 'First word', what: 'From the start of a call until somebody speaks' },
  reply: { title: 'Reply', what: "From the end of the caller's turn to the start of the assistant's reply" },
  silence: { title: 'Silences', what: 'Lengths of silences over 4 s' },
  silent: { title: 'Silent', what: 'Share of calls with a silence over 4 s' },
  interruptions: {
    title: 'Interruptions',
    what: 'Times in a call that the caller interrupted the assistant',
  },
  interrupted: { title: 'Interrupted', what: 'Share of calls in which the caller interrupted the assistant' },
  'talk-share': { title: 'Talk share', what: "The assistant's share of the speech in a call" },
  'assistant-wpm': { title: 'Assistant wpm', what: "The assistant's words per minute of the call" },
  'user-wpm': { title: 'User wpm', what: "The user's words per minute of the call" },
  success: {
    title: 'Success',
    what: 'Share of evaluated calls that succeeded; a number from half of its scale on',
  },
  score: { title: 'Score', what: 'Numeric success evaluations, on a scale of 10' },
  unanswered: {
    title: 'Unanswered',
    what: 'Share of calls with a question that got no answer, as in test gaps',
  },
  repeated: { title: 'Repeated', what: 'Share of calls in which the caller asked a question again' },
  transferred: { title: 'Transferred', what: 'Share of ended calls that were forwarded' },
  'opted-out': {
    title: 'Opted out',
    what: 'Share of calls in which the person asked not to be called again',
  },
  tools: { title: 'Tools', what: 'Tool calls by name' },
  tool: { title: 'Tool time', what: 'From a tool call to its result' },
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
  const oneOf = listed(allowed, maxAllowed, ', or one of')
  const hint = meantHint(near)
  return byCase('code', problem, {
    'unknown-statistic': () => ({ message: 'unknown statistic', hint: hint ?? `use ${oneOf}` }),
    'unknown-metric': () => ({
      message: 'unknown metric',
      hint: hint ?? 'to list them: callwright help metrics',
    }),
    'unknown-grouping': () => ({ message: 'unknown grouping', hint: hint ?? `use ${oneOf}` }),
    'needs-statistic': () => ({ message: 'a statistic is missing', hint: `use ${oneOf}` }),
    'wrong-statistic': () => ({ message: 'this metric does not have this statistic', hint: `use ${oneOf}` }),
    'needs-word': () => ({
      message: 'a word to count is missing',
      hint: 'add it, as in share(outcome busy) or share(ended by system)',
    }),
    'needs-window': () => ({
      message: 'the window of time or calls is missing',
      hint: 'add it after the figure, as in p95(reply) over 10m > 3s or success over last 50 calls < 80%',
    }),
    'wrong-unit': () => ({ message: 'wrong unit', hint: `use a limit such as ${oneOf}` }),
    expected: () => ({ message: allowed.length === 0 ? 'unexpected text' : `expected ${oneOf}`, hint }),
    unsupported: () => ({
      message: 'not supported here',
      hint: 'windows and events that do not arrive are for --guard; baselines for reports',
    }),
  })
}

const maxAllowed = 6
