import type { TimeWindow } from '../../lib/time-window.ts'
import type { SilenceCondition } from '../report/conditions/index.ts'
import { type ConditionCheck, toStep } from './condition-check.ts'

interface SilenceOptions {
  readonly startedAt: number
  readonly between: { readonly window: TimeWindow; readonly zone: string } | undefined
  toWallTime(at: number): number
}

/**
 * Checks that events arrive. With times of day, the silence must lie between them as a whole: a window that opens has its time first. Once
 * the condition holds, it holds until an event arrives.
 */
export function createSilenceCheck(
  { ms }: SilenceCondition,
  { startedAt, between, toWallTime }: SilenceOptions,
): ConditionCheck {
  let lastAt = startedAt
  let isSilent = false
  let dueAt = toStep(startedAt)

  /** Returns how much of the last `ms` is outside the times of day, or until they begin and have passed. */
  const missingTime = (at: number): number => {
    if (between === undefined) return 0
    const { window, zone } = between
    const now = toWallTime(at)
    if (window.isOpen(now, zone)) return ms - window.openTime(now - ms, now, zone)
    return (window.nextOpen(now, zone) ?? Number.POSITIVE_INFINITY) - now + ms
  }
  return {
    get dueAt() {
      return dueAt
    },
    onCall: () => undefined,
    onEvent(at) {
      lastAt = at
      // Also while the condition does not hold: the time of the last event is shown.
      dueAt = Math.min(dueAt, toStep(at))
      isSilent = false
    },
    check(at) {
      const quiet = at - lastAt
      const missing = quiet < ms ? ms - quiet : missingTime(at)
      if (missing <= 0) isSilent = true
      dueAt = isSilent ? Number.POSITIVE_INFINITY : toStep(at + missing)
      return [{ group: undefined, value: quiet, holds: isSilent }]
    },
  }
}
