import type { Firing } from './engine.ts'
import type { GuardRule } from './guard-rule.ts'

/** State of a rule. */
export interface RuleStatus {
  readonly name: string
  readonly when: string
  /** Number of alerts of this run. */
  readonly fired: number
  readonly firing: readonly { readonly group?: string | null | undefined; readonly since: string }[]
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
