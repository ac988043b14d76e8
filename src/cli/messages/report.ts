import { type CallProblem, isMetricName, type MetricName } from '../../calls/report/index.ts'
import { oneLine } from '../../lib/text/escape.ts'

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
