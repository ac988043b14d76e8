import type { AppliedEvent } from '../../events/conversation/index.ts'
import { type Clock, startTimer } from '../../lib/clock.ts'
import type { ProgramEnvironment } from '../../lib/process/program-environment.ts'
import type { CommandOutput } from '../../lib/process/run-command.ts'
import type { FactsOptions } from '../report/index.ts'
import { toAlert } from './alert.ts'
import { loadBetween } from './between.ts'
import { createGuardEngine } from './engine.ts'
import type { GuardRule } from './guard-rule.ts'
import type { AlertFailure, GuardAlert, GuardTotals } from './guard-schemas.ts'
import { addFigures, type LiveRuleStatus, toRuleStatuses } from './rule-status.ts'
import { createAlertSender } from './send-alerts.ts'

export type GuardReport =
  | GuardAlert
  | AlertFailure
  | { readonly kind: 'output'; readonly rule: string; readonly output: CommandOutput }

export interface OpenGuardOptions {
  readonly rules: readonly GuardRule[]
  /** Guard file, absolute, and its folder. */
  readonly file: string
  readonly folder: string
  /** Time zone of times of day. */
  readonly zone: string
  readonly facts: FactsOptions
  readonly env: ProgramEnvironment
  readonly clock: Clock
  /** Milliseconds for a request. */
  readonly timeout: number
  onReport(report: GuardReport): void
}

export type Guard = Awaited<ReturnType<typeof openGuard>>

/** Time between two readings of the clock, beyond which it was changed or the machine was suspended. */
const maxReadingGapMs = 30_000
/** The clock is read at least as often, so that a jump is noticed. */
const heartbeatMs = maxReadingGapMs / 6

/**
 * Watches live events by rules, and delivers an alert when a condition begins and when it ceases to hold. Windows start empty.
 * @throws CallyardError `usage` if the program of a command is missing
 */
export async function openGuard(options: OpenGuardOptions) {
  const { rules, file, folder, zone, facts, env, clock, timeout, onReport } = options
  const sender = await createAlertSender({
    ...{ rules, file, folder, env, clock, timeout },
    onOutput: (rule, output) => onReport({ kind: 'output', rule, output }),
    onFailed: onReport,
  })
  const between = await loadBetween(rules, zone)
  const fired = new Map<string, number>()
  const time = createSteadyTime(clock.now)
  const engine = createGuardEngine({
    ...{ rules, facts, between, startedAt: time.now(), toWallTime: time.toWallTime },
    onCheck: () => checkListener(),
    onTransition(transition) {
      const { rule, kind } = transition
      const alert = toAlert(transition, time.toWallTime)
      if (kind === 'fired') fired.set(rule.name, (fired.get(rule.name) ?? 0) + 1)
      onReport(alert)
      if (rule.action !== undefined) sender.send(alert, rule.action)
    },
  })
  let checkListener = () => {}
  let cancelTimer = () => {}
  let wakesAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  const wait = () => {
    const now = time.now()
    engine.advance(now)
    // A second is evaluated once it is over.
    const waitMs = Math.min(heartbeatMs, Math.max(1, engine.dueAt + 1 - now))
    wakesAt = now + waitMs
    cancelTimer = startTimer(waitMs, () => !isClosed && wait(), clock)
  }
  return {
    /** Begins to watch the time. */
    start: wait,
    /** Takes an event that arrived now. */
    onEvent(appliedEvent: AppliedEvent): void {
      engine.onEvent(appliedEvent, time.now())
      if (isClosed || engine.dueAt + 1 >= wakesAt) return
      cancelTimer()
      wait()
    },
    /** Learns of an event that an earlier process took. */
    remember(appliedEvent: AppliedEvent): void {
      engine.remember(appliedEvent, time.now())
    },
    /** Returns the states of the rules now. */
    status: (): readonly LiveRuleStatus[] =>
      addFigures(toRuleStatuses(rules, engine.firing(), fired), engine.checked(), time.toWallTime),
    /** Calls back after each check of a rule. */
    onCheck(listener: () => void): void {
      checkListener = listener
    },
    /** Alerts that are not delivered. */
    get left() {
      return sender.left
    },
    /** Stops watching, and lets deliveries end for this many milliseconds; the rest has failed. */
    async close(deadlineMs: number): Promise<GuardTotals> {
      isClosed = true
      cancelTimer()
      await sender.close(deadlineMs)
      return { rules: toRuleStatuses(rules, engine.firing(), fired), ...sender.totals }
    },
  }
}

/**
 * Creates a time that passes as the clock does, and stops while the clock jumps: it is read so often that a larger step is not time
 * in which events could have arrived.
 */
function createSteadyTime(now: () => number) {
  let last = now()
  /** Time on the wall minus steady time. */
  let shift = 0
  return {
    now(): number {
      const at = now()
      if (at < last || at - last > maxReadingGapMs) shift += at - last
      last = at
      return at - shift
    },
    /** Converts to the time that the clock shows now. */
    toWallTime: (at: number) => at + shift,
  }
}
