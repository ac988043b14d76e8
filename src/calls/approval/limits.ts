import { readHours } from '../../files/formats/batch.ts'
import { CallyardError } from '../../lib/error.ts'
import { createCalendar } from '../../lib/text/date-time.ts'
import type { Limits } from '../../service/profile/index.ts'

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
  for (const { numbers, callsPerDay, hours, timeZone } of limits) {
    if (numbers !== undefined && !numbers.some(pattern => allowsNumber(pattern, number)))
      return numberNotAllowed(number, numbers)
    if (hours !== undefined && !isWithin(hours, createCalendar(timeZone)(at).minute))
      return outsideHours(hours, timeZone)
    if (callsPerDay !== undefined && callsToday(timeZone) > callsPerDay)
      return callsPerDayReached(callsPerDay)
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

const outcome = 'not-sent'

function numberNotAllowed(number: string | undefined, allowed: readonly string[]): CallyardError {
  const calls = number === undefined ? 'without a number' : `to ${number}`
  return new CallyardError('usage', `calls ${calls} are not allowed; nobody was called`, {
    code: 'number-not-allowed',
    hint: `allowed: ${allowed.join(', ') || 'none'}`,
    details: { number: number ?? null, allowed, outcome },
  })
}

function outsideHours(hours: string, timeZone: string | undefined): CallyardError {
  const when = `${hours}${timeZone === undefined ? '' : ` (${timeZone})`}`
  return new CallyardError('usage', `calls are only allowed from ${when}; nobody was called`, {
    code: 'outside-hours',
    hint: 'try again during these hours, or change the protection of the profile',
    details: { hours, timeZone: timeZone ?? null, outcome },
  })
}

const callsPerDayReached = (callsPerDay: number) =>
  new CallyardError('usage', `the limit of ${callsPerDay} calls per day is reached; nobody was called`, {
    code: 'calls-per-day-reached',
    hint: 'try again tomorrow, or change the protection of the profile',
    details: { callsPerDay, outcome },
  })
