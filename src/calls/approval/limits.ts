import { readHours } from '../../files/formats/batch.ts'
import type { CallyardError } from '../../lib/error.ts'
import { createCalendar } from '../../lib/text/date-time.ts'
import type { Limits } from '../../service/profile/index.ts'
import { approvalError } from './errors.ts'

interface PlannedCall {
  /** Undefined if the request names none. */
  readonly number: string | undefined
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Returns the calls of this day in a time zone, with this one. */
  readonly callsToday: (timeZone: string | undefined) => number
}

/** Returns the error of the first limit that forbids a call; undefined if it is allowed. */
export function findLimit(
  limits: readonly Limits[],
  { number, at, callsToday }: PlannedCall,
): CallyardError | undefined {
  const outcome = 'not-sent'
  for (const { numbers, callsPerDay, hours, timeZone } of limits) {
    if (numbers !== undefined && !numbers.some(pattern => allowsNumber(pattern, number)))
      return approvalError('usage', 'number-not-allowed', {
        number: number ?? null,
        allowed: numbers,
        outcome,
      })
    if (hours !== undefined && !isWithin(hours, createCalendar(timeZone)(at).minute))
      return approvalError('usage', 'outside-hours', { hours, timeZone: timeZone ?? null, outcome })
    if (callsPerDay !== undefined && callsToday(timeZone) > callsPerDay)
      return approvalError('usage', 'calls-per-day-reached', { callsPerDay, outcome })
  }
  return undefined
}

/** True if a pattern such as `+12025550123` or `+1202555*` matches a number, which may have spaces and punctuation. */
function allowsNumber(pattern: string, number: string | undefined): boolean {
  const digits = number?.replace(/[\s().-]/g, '')
  if (digits === undefined || !/^\+\d+$/.test(digits)) return false
  return pattern.endsWith('*') ? digits.startsWith(pattern.slice(0, -1)) : digits === pattern
}

/** True if a text is a pattern of numbers. */
export function isNumberPattern(text: string): boolean {
  return /^\+\d{1,15}\*?$|^\+?\*$/.test(text)
}

function isWithin(hours: string, minute: number): boolean {
  return readHours(hours)?.some(({ from, to }) => minute >= from && minute < to) ?? false
}
