import type { AppliedEvent, CallKey } from '../../events/conversation/index.ts'
import { digest } from '../../lib/hash.ts'
import type { TimeWindow } from '../../lib/time-window.ts'
import { type CallFacts, createFactsCollector, type FactsOptions, partsOf } from '../report/index.ts'
import { createCallWindow, type GuardedCall, type GuardedWindow } from './call-window.ts'
import type { CheckResult, ConditionCheck } from './condition-check.ts'
import { createFigureCheck } from './figure-check.ts'
import type { GuardRule } from './guard-rule.ts'
import { createSilenceCheck } from './silence-check.ts'

/** A condition that begins or ceases to hold. Times are milliseconds since the epoch. */
export interface Transition {
  readonly kind: 'fired' | 'recovered'
  /** The same for both ends of one alert. */
  readonly id: string
  readonly rule: GuardRule
  /** Undefined unless the condition has a grouping; null for the group whose name is unknown. */
  readonly group: string | null | undefined
  readonly at: number
  /** When it fired. */
  readonly since: number
  /** Undefined without data. */
  readonly value: number | undefined
  /** Calls behind the figure, the worst first. */
  readonly calls: readonly CallFacts[]
}

/** A condition that holds. */
export interface Firing {
  /** Name of the rule. */
  readonly rule: string
  readonly group: Transition['group']
  readonly since: number
}

/** A rule with the results of its last check. Times are milliseconds since the epoch. */
export interface CheckedRule {
  readonly rule: GuardRule
  readonly results: readonly CheckResult[]
  /** When it ceased to hold last; undefined if it never did. */
  readonly recoveredAt: number | undefined
  readonly lastEventAt: number | undefined
}

interface CheckOptions {
  readonly startedAt: number
  /** Window of a condition with times of day, and its time zone. */
  readonly between?:
    | ((rule: GuardRule) => { readonly window: TimeWindow; readonly zone: string } | undefined)
    | undefined
}

interface EngineOptions extends CheckOptions {
  readonly rules: readonly GuardRule[]
  readonly facts: FactsOptions
  /** Converts a time of this engine to wall-clock time; default: they are the same. */
  readonly toWallTime?: ((at: number) => number) | undefined
  onTransition(transition: Transition): void
  /** Rules were checked; at most once for each second. */
  onCheck?(): void
}

/** Ended calls whose messages are kept, because an analysis may arrive after the end. */
const maxWholeCalls = 1000

/** Calls in progress, and characters of their messages, that are kept. The call with the oldest event is forgotten first. */
const maxOpenCalls = 20_000
const maxOpenCharacters = 64 * 1024 ** 2

export type GuardEngine = ReturnType<typeof createGuardEngine>

/**
 * Evaluates conditions about events as they arrive. Deterministic: the same events at the same times give the same transitions,
 * whenever `advance` is called. A second is evaluated once it is over, with all of its events.
 */
export function createGuardEngine(options: EngineOptions) {
  const { rules, facts, startedAt, toWallTime = at => at, onTransition, onCheck } = options
  const conditions = rules.flatMap(({ condition }) => (condition.kind === 'figure' ? [condition] : []))
  const parts = partsOf(conditions.map(({ figure }) => figure.metric))
  const collector = createFactsCollector({ ...facts, parts })
  /** Ended calls whose messages are kept, the oldest first. */
  const whole = new Set<CallKey>()
  const window = createCallWindow(rules, key => {
    whole.delete(key)
    collector.forget(key)
  })
  const open = new Map<CallKey, number>()
  let openCharacters = 0
  let time = startedAt
  let iso = { at: Number.NaN, text: '' }
  const checks = rules.map(rule => ({
    rule,
    check: createCheck(rule, window, { startedAt, toWallTime, between: options.between }),
    firing: new Map<Transition['group'], { readonly id: string; readonly since: number }>(),
    results: [] as readonly CheckResult[],
    recoveredAt: undefined as number | undefined,
  }))
  let dueAt = startedAt
  let lastEventAt: number | undefined

  const updateDue = () => {
    dueAt = checks.reduce((least, { check }) => Math.min(least, check.dueAt), Number.POSITIVE_INFINITY)
  }
  const advance = (now: number) => {
    while (dueAt < now) {
      const at = dueAt
      window.trim(at)
      for (const checkedRule of checks) if (checkedRule.check.dueAt <= at) evaluate(checkedRule, at)
      updateDue()
      onCheck?.()
    }
    time = Math.max(time, now)
  }
  const evaluate = (checkedRule: (typeof checks)[number], at: number) => {
    const { rule, check, firing } = checkedRule
    const results = check.check(at)
    checkedRule.results = results
    const holding = results.filter(({ holds }) => holds)
    for (const { group, value, calls } of holding) {
      if (firing.has(group)) continue
      const id = digest(JSON.stringify([rule.name, rule.condition.text, group ?? null, at]))
      firing.set(group, { id, since: at })
      onTransition({ kind: 'fired', id, rule, group, at, since: at, value, calls: calls?.() ?? [] })
    }
    for (const [group, { id, since }] of firing) {
      if (holding.some(result => result.group === group)) continue
      firing.delete(group)
      checkedRule.recoveredAt = at
      const value = results.find(result => result.group === group)?.value
      onTransition({ kind: 'recovered', id, rule, group, at, since, value, calls: [] })
    }
  }
  const isoOf = (at: number) => {
    if (iso.at !== at) iso = { at, text: new Date(toWallTime(at)).toISOString() }
    return iso.text
  }
  const collect = (appliedEvent: AppliedEvent, at: number) => {
    collector.add(appliedEvent, isoOf(at))
    const { key, changes, ended } = appliedEvent
    const before = open.get(key) ?? 0
    open.delete(key)
    openCharacters -= before
    if (ended) return
    let characters = before
    for (const change of changes) if (change.kind === 'message') characters += change.text.length
    open.set(key, characters)
    openCharacters += characters
    while (open.size > maxOpenCalls || openCharacters > maxOpenCharacters) {
      const [oldest] = open
      if (oldest === undefined) break
      open.delete(oldest[0])
      openCharacters -= oldest[1]
      collector.forget(oldest[0])
    }
  }
  const putCall = (call: GuardedCall) => {
    if (!call.isPartial) whole.add(call.key)
    const [oldest] = whole.size > maxWholeCalls ? whole : []
    if (oldest !== undefined) {
      whole.delete(oldest)
      collector.forget(oldest)
      const oldestCall = window.find(oldest)
      if (oldestCall !== undefined) window.add({ ...oldestCall, isPartial: true })
    }
    window.add(call)
    for (const { check } of checks) check.onCall(time)
  }
  updateDue()
  return {
    /** Time before which nothing can change unless an event arrives. */
    get dueAt() {
      return dueAt
    },
    /** Evaluates the seconds that are over. */
    advance,
    /** Takes an event that arrived now. A time before that of an earlier event counts as the same. */
    onEvent(appliedEvent: AppliedEvent, now: number): void {
      advance(now)
      const { key, ended, endsCall } = appliedEvent
      lastEventAt = time
      for (const { check } of checks) check.onEvent(time)
      const knownCall = key === 0 ? undefined : window.find(key)
      // An event of a call that has left all windows must not bring it back.
      if (key !== 0 && (!ended || endsCall || knownCall !== undefined)) {
        collect(appliedEvent, time)
        const callFacts = ended ? collector.factsOf(key) : undefined
        if (callFacts !== undefined)
          putCall(
            knownCall === undefined
              ? { key, endedAt: time, facts: callFacts, isPartial: false }
              : {
                  ...knownCall,
                  facts: knownCall.isPartial ? fillFacts(knownCall.facts, callFacts) : callFacts,
                },
          )
      }
      updateDue()
    },
    /** Learns of an event that an earlier process took. */
    remember(appliedEvent: AppliedEvent, now: number): void {
      if (appliedEvent.key === 0) return
      if (appliedEvent.ended) collector.forget(appliedEvent.key)
      else collect(appliedEvent, now)
    },
    /** Returns the conditions that hold. */
    firing: (): readonly Firing[] =>
      checks.flatMap(({ rule, firing }) =>
        [...firing].map(([group, { since }]) => ({ rule: rule.name, group, since })),
      ),
    /** Returns what the last check of each rule found, in the order of the rules. */
    checked: (): readonly CheckedRule[] =>
      checks.map(({ rule, results, recoveredAt }) => ({ rule, results, recoveredAt, lastEventAt })),
  }
}

/** Adds what is new of a call whose earlier events are gone. */
function fillFacts(facts: CallFacts, newFacts: CallFacts): CallFacts {
  const isEmpty = (value: unknown) =>
    value === null || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
  const news = Object.entries(newFacts).filter(
    ([name]) => isEmpty(Reflect.get(facts, name)) && !isEmpty(Reflect.get(newFacts, name)),
  )
  return { ...facts, ...Object.fromEntries(news) }
}

function createCheck(
  rule: GuardRule,
  window: GuardedWindow,
  options: CheckOptions & { toWallTime(at: number): number },
): ConditionCheck {
  const { condition } = rule
  return condition.kind === 'figure'
    ? createFigureCheck({ ...rule, condition }, { window, startedAt: options.startedAt })
    : createSilenceCheck(condition, {
        ...options,
        between: condition.between === undefined ? undefined : options.between?.(rule),
      })
}
