import { groupQuestions, type QuestionGroup } from '../../../scenario/record/index.ts'
import type { CallFacts } from '../call-facts.ts'
import { evaluateCondition, type FigureCondition, type Verdict } from '../conditions/index.ts'
import { computeFigures, type Figures } from '../figures.ts'
import { type Grouping, groupCalls } from '../groups.ts'
import { type ProblemCall, rankProblems } from '../problems.ts'
import { compareFigures, type FigureChange } from './compare.ts'

interface ReportInput {
  readonly calls: readonly CallFacts[]
  /** Calls that they are compared with. */
  readonly baseline?: readonly CallFacts[] | undefined
  readonly by?: Grouping | undefined
  readonly conditions?: readonly FigureCondition[] | undefined
}

export interface CallsReport {
  readonly calls: readonly CallFacts[]
  readonly total: Figures
  readonly by: Grouping | undefined
  /** Empty without a grouping. */
  readonly groups: readonly { readonly name: string | null; readonly figures: Figures }[]
  readonly baseline: Figures | undefined
  /** Undefined without a baseline. */
  readonly changes: readonly FigureChange[] | undefined
  readonly verdicts: readonly Verdict[]
  /** Calls with the slowest answers, slowest first; of a call without known answers, the slowest reply. */
  readonly slowest: readonly CallFacts[]
  /** Calls with problems, worst first. */
  readonly problems: readonly ProblemCall[]
  /** Unanswered and repeated questions, most frequent first. */
  readonly unanswered: readonly QuestionGroup[]
  readonly repeated: readonly QuestionGroup[]
}

/** Builds a report about calls. */
export function buildReport({ calls, baseline, by, conditions = [] }: ReportInput): CallsReport {
  const total = computeFigures(calls)
  const before = baseline && computeFigures(baseline)
  return {
    calls,
    total,
    by,
    groups:
      by === undefined
        ? []
        : groupCalls(calls, by).map(([name, ofGroup]) => ({ name, figures: computeFigures(ofGroup) })),
    baseline: before,
    changes: before && compareFigures(before, total),
    verdicts: conditions.flatMap(condition => evaluateCondition(condition, calls, baseline)),
    slowest: calls
      .filter(({ slowest }) => slowest !== null)
      .sort((one, other) => (other.slowest?.ms ?? 0) - (one.slowest?.ms ?? 0)),
    problems: rankProblems(calls, total),
    unanswered: groupQuestions(calls.flatMap(({ unanswered }) => unanswered ?? [])),
    repeated: groupQuestions(
      calls.flatMap(({ repeated, call }) =>
        (repeated ?? []).map(text => ({ text, call, reason: 'data' as const })),
      ),
    ),
  }
}
