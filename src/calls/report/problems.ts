import type { CallFacts } from './call-facts.ts'
import type { Figures } from './figures.ts'

/** Titles of the reasons to look at a call, worst first. */
export const callProblemTitles = {
  failed: 'failed',
  unsuccessful: 'not successful',
  'tool-failed': 'tool failed',
  'opted-out': 'opted out',
  unanswered: 'question unanswered',
  'slow-answer': 'slow answer',
  'slow-reply': 'slow reply',
  repeated: 'question repeated',
  silent: 'silence',
  interrupted: 'interrupted',
} as const
export type CallProblem = keyof typeof callProblemTitles

const callProblems = Object.keys(callProblemTitles) as readonly CallProblem[]

/** Times that a slow call exceeds. */
type SlowMs = Readonly<Record<'answer' | 'reply', number>>

const tests: Readonly<Record<CallProblem, (call: CallFacts, slowMs: SlowMs) => boolean>> = {
  failed: ({ outcome }) => outcome === 'failed',
  unsuccessful: ({ success }) => success?.passed === false,
  'tool-failed': ({ tools }) => tools.some(({ isFailed }) => isFailed),
  'opted-out': ({ isOptedOut }) => isOptedOut === true,
  unanswered: ({ unanswered }) => (unanswered?.length ?? 0) > 0,
  'slow-answer': ({ slowest }, slowMs) => slowest?.kind === 'answer' && slowest.ms > slowMs.answer,
  'slow-reply': ({ slowest }, slowMs) => slowest?.kind === 'reply' && slowest.ms > slowMs.reply,
  repeated: ({ repeated }) => (repeated?.length ?? 0) > 0,
  silent: ({ silences }) => (silences?.length ?? 0) > 0,
  interrupted: ({ interruptions }) => (interruptions ?? 0) > 0,
}

export interface ProblemCall {
  readonly call: CallFacts
  readonly problems: readonly CallProblem[]
}

/** Returns the calls with problems, the worst first: those with the worst problem, then with most of them, then the slowest. */
export function rankProblems(calls: readonly CallFacts[], { metrics }: Figures): ProblemCall[] {
  const p95Of = (name: string) => {
    const figure = metrics.get(name)
    return figure?.kind === 'values' ? figure.p95 : Number.POSITIVE_INFINITY
  }
  const slowMs = { answer: p95Of('answer'), reply: p95Of('reply') }
  return calls
    .map(call => ({ call, problems: callProblems.filter(problem => tests[problem](call, slowMs)) }))
    .filter(({ problems }) => problems.length > 0)
    .sort(
      (one, other) =>
        rankOf(one) - rankOf(other) ||
        other.problems.length - one.problems.length ||
        (other.call.slowest?.ms ?? 0) - (one.call.slowest?.ms ?? 0),
    )
}

function rankOf({ problems: [worst = 'interrupted'] }: ProblemCall): number {
  return callProblems.indexOf(worst)
}
