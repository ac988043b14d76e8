import { evaluateCondition, type FigureCondition, findCallsBehind } from '../report/conditions/index.ts'
import { type CallFacts, groupCalls } from '../report/index.ts'
import type { GuardedWindow } from './call-window.ts'
import { type CheckResult, type ConditionCheck, toStep } from './condition-check.ts'

interface FigureRule {
  readonly condition: FigureCondition
  readonly minCalls: number
}

/**
 * Checks a figure of a rolling window: calls that ended in the last minutes, the current one included, or the last calls, as soon as
 * there are as many. It can only change when a call enters the window, leaves it, or gets more facts.
 */
export function createFigureCheck(
  { condition, minCalls }: FigureRule,
  { window, startedAt }: { readonly window: GuardedWindow; readonly startedAt: number },
): ConditionCheck {
  const { by, window: over } = condition
  let dueAt = toStep(startedAt)
  const callsAt = (at: number) => {
    if (over?.kind !== 'time') {
      const count = over?.calls ?? 0
      const last = window.last(count)
      return { calls: last.length < count ? [] : last, leavesAt: Number.POSITIVE_INFINITY }
    }
    const calls = window.after(at - over.ms)
    return { calls, leavesAt: (calls[0]?.endedAt ?? Number.POSITIVE_INFINITY) + over.ms }
  }
  const toResult = (group: string | null | undefined, calls: readonly CallFacts[]): CheckResult => {
    const [verdict] = evaluateCondition({ ...condition, by: undefined }, calls)
    return {
      group,
      value: verdict?.value,
      holds: verdict?.holds === true && calls.length >= minCalls,
      calls: () => findCallsBehind(condition, calls),
    }
  }
  return {
    get dueAt() {
      return dueAt
    },
    onCall(at) {
      dueAt = Math.min(dueAt, toStep(at))
    },
    onEvent: () => undefined,
    check(at) {
      const { calls, leavesAt } = callsAt(at)
      dueAt = toStep(leavesAt)
      const facts = calls.map(call => call.facts)
      return by === undefined
        ? [toResult(undefined, facts)]
        : groupCalls(facts, by).map(([group, ofGroup]) => toResult(group, ofGroup))
    },
  }
}
