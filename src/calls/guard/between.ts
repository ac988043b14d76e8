import type { TimeWindow } from '../../lib/time-window.ts'
import type { GuardRule } from './guard-rule.ts'

const endOfDay = 24 * 60

/** Loads the windows of conditions with times of day. Most files have none, and need no time zones. */
export async function loadBetween(rules: readonly GuardRule[], zone: string) {
  const withTimes = rules.flatMap(rule =>
    rule.condition.kind === 'no-events' && rule.condition.between !== undefined
      ? [{ rule, ...rule.condition.between }]
      : [],
  )
  if (withTimes.length === 0) return undefined
  const { createTimeWindow } = await import('../../lib/time-window.ts')
  const days = new Set([1, 2, 3, 4, 5, 6, 7])
  const windows = new Map<GuardRule, TimeWindow>(
    withTimes.map(({ rule, from, to }) => {
      // `between 22:00 and 06:00` passes midnight.
      const hours =
        from < to
          ? [{ from, to }]
          : [
              { from, to: endOfDay },
              { from: 0, to },
            ]
      return [rule, createTimeWindow({ days, hours: hours.filter(range => range.from < range.to) })]
    }),
  )
  return (rule: GuardRule) => {
    const window = windows.get(rule)
    return window && { window, zone }
  }
}
