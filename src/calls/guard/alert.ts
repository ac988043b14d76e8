import type { CallFacts } from '../report/index.ts'
import type { Transition } from './engine.ts'
import { type GuardAlert, maxCalls } from './guard-schemas.ts'

/** Converts a transition, and its times to wall-clock time. */
export function toAlert(
  { kind, id, rule, group, at, since, value, calls }: Transition,
  toWallTime: (at: number) => number = time => time,
): GuardAlert {
  const { condition } = rule
  const isFigure = condition.kind === 'figure'
  const iso = (time: number) => new Date(toWallTime(time)).toISOString()
  return {
    kind: `guard-${kind}`,
    ...{ id, rule: rule.name, when: condition.text },
    ...(group !== undefined && { group }),
    ...{ at: iso(at), since: iso(since), value: value ?? null },
    limit: !isFigure ? condition.ms : condition.limit.kind === 'number' ? condition.limit.value : 0,
    unit: isFigure ? condition.unit : 'ms',
    calls: calls.slice(0, maxCalls).map(toCall),
  }
}

function toCall({ call, at, assistant, from, to, outcome, endedBy }: CallFacts): GuardAlert['calls'][number] {
  return { call, at: new Date(at).toISOString(), assistant, from, to, outcome, endedBy }
}
