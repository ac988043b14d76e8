import type { MetricUnit } from '../report/index.ts'
import type { CheckedRule, Firing } from './engine.ts'
import type { GuardRule } from './guard-rule.ts'
import type { RuleStatus } from './guard-schemas.ts'

/** State of a rule with its current figures. */
export interface LiveRuleStatus extends RuleStatus {
  /** Values by group; one without a group if the condition has no grouping. A value is null without data. */
  readonly values: readonly { readonly group?: string | null | undefined; readonly value: number | null }[]
  readonly unit: MetricUnit
  /** ISO 8601; null if it never recovered in this run. */
  readonly recoveredAt: string | null
  /** Arrival of the last event, ISO 8601, for a rule about missing events; null before the first one, and for other rules. */
  readonly lastEventAt: string | null
}

/** Adds the current figures to the states of rules, and converts times to wall-clock time. */
export function addFigures(
  statuses: readonly RuleStatus[],
  checked: readonly CheckedRule[],
  toWallTime: (at: number) => number,
): LiveRuleStatus[] {
  const iso = (at: number | undefined) => (at === undefined ? null : new Date(toWallTime(at)).toISOString())
  return statuses.flatMap((status, index) => {
    const checkedRule = checked[index]
    if (checkedRule === undefined) return []
    const { rule, results, recoveredAt, lastEventAt } = checkedRule
    const isFigure = rule.condition.kind === 'figure'
    return [
      {
        ...status,
        values: (isFigure ? results : []).map(({ group, value = null }) => ({
          ...(group !== undefined && { group }),
          value,
        })),
        unit: rule.condition.kind === 'figure' ? rule.condition.unit : 'ms',
        recoveredAt: iso(recoveredAt),
        lastEventAt: isFigure ? null : iso(lastEventAt),
      },
    ]
  })
}

/** Returns the states of the rules, with the number of alerts of each. */
export function toRuleStatuses(
  rules: readonly GuardRule[],
  firing: readonly Firing[],
  fired: ReadonlyMap<string, number>,
): RuleStatus[] {
  return rules.map(({ name, condition }) => ({
    ...{ name, when: condition.text, fired: fired.get(name) ?? 0 },
    firing: firing
      .filter(({ rule }) => rule === name)
      .map(({ group, since }) => ({
        ...(group !== undefined && { group }),
        since: new Date(since).toISOString(),
      })),
  }))
}
