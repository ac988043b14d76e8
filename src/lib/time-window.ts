import { Temporal } from 'temporal-polyfill'

export type TimeWindow = ReturnType<typeof createTimeWindow>

/** Minutes since midnight. */
export interface HourRange {
  readonly from: number
  /** Not included. */
  readonly to: number
}

interface WindowRules {
  /** Days of the week, from 1 (Monday) to 7. */
  readonly days: ReadonlySet<number>
  readonly hours: readonly HourRange[]
  /** Days that are closed, such as 2026-12-25. */
  readonly except?: readonly string[]
}

/** Times in milliseconds since the epoch; the end is not included. */
interface Interval {
  readonly start: number
  readonly end: number
}

const never: Interval = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY }

/** Days searched for an open time. */
const maxDays = 400
/** Longest time that `openTime` measures, in milliseconds. */
export const maxOpenTimeSpanMs = (maxDays - 1) * 86_400_000

/**
 * Creates a window of days and hours. It is open at a moment if the clock of the time zone shows an allowed time of an allowed day then.
 * So a range that daylight-saving time skips does not exist on that day, and one that occurs twice is open twice.
 */
export function createTimeWindow({ days, hours, except = [] }: WindowRules) {
  const exceptions = new Set(except)
  const byDay = new Map<string, readonly Interval[]>()
  /** The interval that follows `from`, by time zone. */
  const next = new Map<string, Interval & { readonly from: number }>()

  const isOpenByClock = (at: number, zone: string) => {
    const local = toZoned(at, zone)
    const minute = local.hour * 60 + local.minute
    return isAllowed(local.toPlainDate()) && hours.some(({ from, to }) => minute >= from && minute < to)
  }
  const isAllowed = (date: Temporal.PlainDate) => days.has(date.dayOfWeek) && !exceptions.has(date.toString())
  /** Between two neighboring boundaries the window is either open or closed. */
  const intervalsOf = (date: Temporal.PlainDate, zone: string): readonly Interval[] => {
    if (!isAllowed(date)) return []
    const start = date.toZonedDateTime(zone)
    const end = date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
    const boundaries = [start.epochMilliseconds, end]
    for (const minute of hours.flatMap(({ from, to }) => [from, to])) {
      const local = date.toPlainDateTime().add({ minutes: minute })
      for (const disambiguation of ['earlier', 'later'] as const)
        boundaries.push(local.toZonedDateTime(zone, { disambiguation }).epochMilliseconds)
    }
    // The start of the day may be a transition itself.
    const before = Temporal.Instant.fromEpochMilliseconds(start.epochMilliseconds - 1).toZonedDateTimeISO(
      zone,
    )
    const transition = before.getTimeZoneTransition('next')?.epochMilliseconds
    if (transition !== undefined) boundaries.push(transition)
    const inside = boundaries.filter(at => at >= start.epochMilliseconds && at <= end)
    const sorted = [...new Set(inside)].sort((one, other) => one - other)
    return sorted.flatMap((at, index) => {
      const next = sorted[index + 1]
      return next !== undefined && isOpenByClock(at, zone) ? [{ start: at, end: next }] : []
    })
  }
  const cached = (date: Temporal.PlainDate, zone: string) => {
    const key = `${date.toString()} ${zone}`
    const intervals = byDay.get(key) ?? intervalsOf(date, zone)
    byDay.set(key, intervals)
    return intervals
  }
  function* openIntervals(from: number, zone: string) {
    let date = toZoned(from, zone).toPlainDate()
    for (let day = 0; day < maxDays; day += 1) {
      for (const { start, end } of cached(date, zone))
        if (end > from) yield { start: Math.max(start, from), end }
      date = date.add({ days: 1 })
    }
  }
  /** Returns the next open interval, which may have begun. A run asks again and again for the same one. */
  const nextInterval = (at: number, zone: string) => {
    const cachedInterval = next.get(zone)
    if (cachedInterval !== undefined && at >= cachedInterval.from && at < cachedInterval.end)
      return cachedInterval
    const [interval = never] = openIntervals(at, zone)
    const zoneInterval = { ...interval, from: at }
    next.set(zone, zoneInterval)
    return zoneInterval
  }
  return {
    isOpen: (at: number, zone: string): boolean => nextInterval(at, zone).start <= at,
    /** Returns the first moment at or after `from` at which the window is open; undefined if there is none within 400 days. */
    nextOpen(from: number, zone: string): number | undefined {
      const { start } = nextInterval(from, zone)
      return start === Number.POSITIVE_INFINITY ? undefined : Math.max(start, from)
    },
    /** Returns how long the window is open between two moments, in milliseconds; they are at most `maxOpenTimeSpanMs` apart. */
    openTime(from: number, until: number, zone: string): number {
      let open = 0
      for (const { start, end } of openIntervals(from, zone)) {
        if (start >= until) break
        open += Math.min(end, until) - start
      }
      return open
    },
  }
}

function toZoned(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
}
