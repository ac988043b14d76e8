import { createGuardEngine, type Transition } from '../../../src/calls/guard/engine.ts'
import type { GuardRule } from '../../../src/calls/guard/index.ts'
import { parseCondition } from '../../../src/calls/report/conditions/index.ts'
import type { FactsOptions } from '../../../src/calls/report/index.ts'
import { type AppliedEvent, createConversationTracker } from '../../../src/events/conversation/index.ts'
import { readEvent } from '../../helpers/events.ts'

export interface ArrivingEvent {
  readonly at: number
  readonly body: unknown
}

export function ruleOf(when: string, more: Partial<GuardRule> = {}): GuardRule {
  const parsed = parseCondition(when, { live: true })
  if ('problem' in parsed) throw new Error(`${when}: ${parsed.problem.code}`)
  return { name: when, condition: parsed.condition, minCalls: 1, action: undefined, ...more }
}

export const facts: FactsOptions = {}

/** Reads events as a tail does. */
export function createTaker() {
  const counter = createConversationTracker()
  return (body: unknown): AppliedEvent => counter.apply(readEvent(body))
}

export type EngineExtra = Partial<Parameters<typeof createGuardEngine>[0]>

/** An engine with its transitions in a short form. */
export function startEngine(rules: readonly GuardRule[], startedAt: number, extra: EngineExtra = {}) {
  const transitions: Transition[] = []
  const engine = createGuardEngine({
    ...{ rules, facts, startedAt, onTransition: transition => transitions.push(transition) },
    ...extra,
  })
  return { engine, transitions }
}

export function short(transitions: readonly Transition[]) {
  return transitions.map(({ kind, rule, group, at, value }) => ({ kind, rule: rule.name, group, at, value }))
}
