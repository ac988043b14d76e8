import { listed } from '../../../lib/text/count.ts'
import { meantHint } from '../../../lib/text/did-you-mean.ts'
import type { ScannedProblem } from './condition-scanner.ts'

interface ProblemText {
  readonly message: string
  readonly hint?: string | undefined
}

export interface ConditionProblem extends ScannedProblem, ProblemText {}

/** Explains why a condition cannot be read. */
export function describeProblem({ code, allowed, near }: ScannedProblem): ProblemText {
  const choice = choiceOf(allowed)
  const hint = meantHint(near)
  const limit = { message: `expected a limit such as ${choice}` }
  const texts: Readonly<Record<ScannedProblem['code'], ProblemText>> = {
    empty: { message: 'the condition is empty', hint: 'write one such as p95(reply) > 3s' },
    'unknown-statistic': {
      message: 'unknown function',
      hint: hint ?? 'use share, count, mean, min, max, or a percentile from p1 to p99',
    },
    'unknown-metric': { message: 'unknown metric', hint: hint ?? 'see the list of metrics' },
    'unknown-grouping': { message: 'unknown group', hint: hint ?? `use ${choice}` },
    'needs-statistic': { message: 'expected a function', hint: `use ${choice}` },
    'wrong-statistic': { message: 'this function does not apply to this metric', hint: `use ${choice}` },
    'needs-word': {
      message: 'expected a word to count',
      hint: 'add it after the metric, as in share(outcome busy) or share(ended by system)',
    },
    'needs-window': {
      message: 'expected a window',
      hint: 'add it after the figure, as in p95(reply) over 10m > 3s or success over last 50 calls < 80%',
    },
    'needs-limit': limit,
    'needs-value': { message: `expected a value such as ${choice}` },
    'wrong-unit': limit,
    expected: { message: allowed.length === 0 ? 'unexpected text' : `expected ${choice}`, hint },
    'guard-only': {
      message: 'over and no events are only supported in rules of a guard',
      hint: 'a report has no time windows; replay a recording with the rules to try them',
    },
    'report-only': {
      message: 'baseline is only supported in conditions of a report',
      hint: 'compare with a number, such as success over last 50 calls < 80%',
    },
  }
  return texts[code]
}

const maxAllowed = 6

/** Formats alternatives: `a, b or c`; the first ones of many. */
function choiceOf(allowed: readonly string[]): string {
  if (allowed.length > maxAllowed) return listed(allowed, maxAllowed, ', or one of')
  const last = allowed.at(-1) ?? ''
  return allowed.length < 2 ? last : `${allowed.slice(0, -1).join(', ')} or ${last}`
}
