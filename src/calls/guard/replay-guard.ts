import type { AppliedEvent } from '../../events/conversation/index.ts'
import type { FactsOptions } from '../report/index.ts'
import { toAlert } from './alert.ts'
import { loadBetween } from './between.ts'
import { createGuardEngine, type GuardEngine } from './engine.ts'
import type { GuardRule } from './guard-rule.ts'
import type { GuardAlert } from './guard-schemas.ts'
import { toRuleStatuses } from './rule-status.ts'

interface ReplayOptions {
  readonly rules: readonly GuardRule[]
  readonly zone: string
  readonly facts: FactsOptions
  onAlert(alert: GuardAlert): void
}

/** Watches recorded events by rules, at the times of their arrival, as a tail would have. Nothing is run or sent. */
export async function createGuardReplay({ rules, zone, facts, onAlert }: ReplayOptions) {
  const between = await loadBetween(rules, zone)
  const fired = new Map<string, number>()
  let engine: GuardEngine | undefined
  let last = Number.NEGATIVE_INFINITY
  return {
    onEvent(appliedEvent: AppliedEvent, at: number): void {
      engine ??= createGuardEngine({
        ...{ rules, facts, between, startedAt: at },
        onTransition(transition) {
          const { kind, rule } = transition
          if (kind === 'fired') fired.set(rule.name, (fired.get(rule.name) ?? 0) + 1)
          onAlert(toAlert(transition))
        },
      })
      engine.onEvent(appliedEvent, at)
      last = Math.max(last, at)
    },
    /** Evaluates the second of the last event, and returns the states of the rules. */
    end() {
      engine?.advance(Math.ceil(last / 1000) * 1000 + 1)
      return toRuleStatuses(rules, engine?.firing() ?? [], fired)
    },
  }
}
