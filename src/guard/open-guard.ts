import { join } from 'node:path'
import type { TakenEvent } from '../conversation/index.ts'
import { type Clock, startTimer } from '../lib/clock.ts'
import type { Environment } from '../lib/environment.ts'
import { getErrorReason } from '../lib/error.ts'
import { digest } from '../lib/hash.ts'
import type { FactsOptions } from '../report/index.ts'
import { type GuardAlert, toAlert } from './alert.ts'
import { loadBetween } from './between.ts'
import { createGuardEngine, type GuardMemory } from './engine.ts'
import { guardError } from './errors.ts'
import type { GuardRule } from './guard-rule.ts'
import { addFigures, type LiveRuleStatus, toRuleStatuses } from './rule-status.ts'
import { type AlertFailure, type AlertOutput, createAlertSender } from './send-alerts.ts'
import { type GuardStep, openStateFile } from './state-file.ts'
import { createSteadyTime, maxReadingGapMs } from './steady-time.ts'

export type GuardReport =
  | { readonly kind: 'alert'; readonly alert: GuardAlert }
  | ({ readonly kind: 'failed' } & AlertFailure)
  | { readonly kind: 'output'; readonly rule: string; readonly output: AlertOutput }
  /** The state cannot be written: a kill would lose it. */
  | { readonly kind: 'unkept'; readonly reason: string }

export interface OpenGuardOptions {
  readonly rules: readonly GuardRule[]
  /** Guard file, absolute, and its folder. */
  readonly file: string
  readonly folder: string
  /** Folder of the states of all guards. */
  readonly stateFolder: string
  /** Time zone of times of day. */
  readonly zone: string
  readonly facts: FactsOptions
  readonly env: Environment
  readonly clock: Clock
  readonly platform?: NodeJS.Platform
  /** Milliseconds for a request. */
  readonly timeout: number
  onReport(report: GuardReport): void
}

export type Guard = Awaited<ReturnType<typeof openGuard>>

/** The clock is read at least as often, so that a jump is noticed. */
const heartbeatMs = maxReadingGapMs / 6

/**
 * Watches live events by rules, and delivers an alert when a condition begins and when it ceases to hold. Ended calls, firing rules and
 * undelivered alerts are on disk before the next event is taken.
 * @throws CallyardError `conflict` if another process uses the state of the file; `usage` if the state cannot be used, or the program of
 * a command is missing
 */
export async function openGuard(options: OpenGuardOptions) {
  const { rules, file, folder, stateFolder, zone, facts, env, clock, platform, timeout, onReport } = options
  const path = join(stateFolder, `${digest(file)}.ndjson`)
  const sender = await createAlertSender({
    ...{ rules, file, folder, env, clock, timeout, ...(platform !== undefined && { platform }) },
    onOutput: (rule, output) => onReport({ kind: 'output', rule, output }),
    onFailed: failure => onReport({ kind: 'failed', ...failure }),
    onDone(alert) {
      undelivered.delete(alert)
      keep({ step: 'done', id: alert.id, kind: alert.kind })
    },
  })
  const between = await loadBetween(rules, zone)
  const state = await openStateFile({
    ...{ path, file, clock },
    inUse: pid => guardError('conflict', 'guard-in-use', { file, pid }),
    unusable: (reason, error) => guardError('usage', 'guard-state-unusable', { path, reason }, error),
  })
  const undelivered = new Set<GuardAlert>()
  const fired = new Map<string, number>()
  const time = createSteadyTime(clock.now)
  const engine = createGuardEngine({
    ...{ rules, facts, between, memory: state.memory, startedAt: time.now(), toWallTime: time.toWallTime },
    onCheck: () => checkListener(),
    onCall: ({ key, endedAt, facts: known, parts }) =>
      keep({ step: 'call', key: toStoredKey(key), endedAt: time.toWallTime(endedAt), facts: known, parts }),
    onTransition(transition) {
      const { rule, kind } = transition
      const alert = toAlert(transition, time.toWallTime)
      const isPending = rule.action !== undefined
      if (kind === 'fired') fired.set(rule.name, (fired.get(rule.name) ?? 0) + 1)
      keep({ step: 'alert', alert, pending: isPending })
      onReport({ kind: 'alert', alert })
      if (isPending) deliver(alert)
    },
  })
  let isKept = true
  let checkListener = () => {}
  const keep = (step: GuardStep) => {
    try {
      state.append(step)
      state.compact(currentState)
      isKept = true
    } catch (error) {
      if (isKept) onReport({ kind: 'unkept', reason: getErrorReason(error) })
      isKept = false
    }
  }
  const currentState = () => ({ memory: memoryOf(engine, time.toWallTime), pending: [...undelivered] })
  const deliver = (alert: GuardAlert) => {
    undelivered.add(alert)
    sender.send(alert)
  }

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
    /** Begins: delivers alerts that an earlier process left, and watches the time. */
    start(): void {
      for (const alert of state.pending) deliver(alert)
      wait()
    },
    /** Takes an event that arrived now. */
    take(taken: TakenEvent): void {
      engine.take(taken, time.now())
      if (isClosed || engine.dueAt + 1 >= wakesAt) return
      cancelTimer()
      wait()
    },
    /** Learns of an event that an earlier process took. */
    remember(taken: TakenEvent): void {
      engine.remember(taken, time.now())
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
    /** Stops watching, and lets deliveries end for this many milliseconds; a later process delivers the rest. */
    async close(deadlineMs: number) {
      isClosed = true
      cancelTimer()
      await sender.close(deadlineMs)
      await state.close()
      return {
        rules: toRuleStatuses(rules, engine.firing(), fired),
        ...sender.totals,
        undelivered: undelivered.size,
      }
    },
  }
}

/** Only an id tells a call from others in a later run. */
function toStoredKey(key: string | number): string | null {
  return typeof key === 'string' ? key : null
}

function memoryOf(
  engine: ReturnType<typeof createGuardEngine>,
  toWallTime: (at: number) => number,
): GuardMemory {
  return {
    firing: engine.firing(),
    calls: engine.calls().map(({ key, endedAt, facts, parts }) => ({
      ...{ key: toStoredKey(key), endedAt: toWallTime(endedAt), facts, parts },
    })),
  }
}
