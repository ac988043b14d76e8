import type { CallOrigin } from '../conversation/index.ts'
import { dropOldest } from '../lib/drop-oldest.ts'
import { digest } from '../lib/hash.ts'
import { duration, readDateTime, timeOfDay } from '../lib/text/date-time.ts'

/**
 * Creates a formatter of event times. A message has its own time if that is a valid date-time; everything else has its arrival time `now`.
 */
export function createTimes(form: TimestampFormat, now: () => number) {
  if (form === 'none') return { columns: 0, of: () => '' }
  const begins = new Map<string, number>()
  const formatTime = (at: number, origin: CallOrigin) => {
    if (form === 'iso') return new Date(at).toISOString()
    if (form === 'local') return timeOfDay(at)
    const key = callKey(origin)
    // The clocks differ: an earlier time becomes the start.
    const begin = Math.min(begins.get(key) ?? at, at)
    begins.delete(key)
    begins.set(key, begin)
    dropOldest(begins, maxCalls)
    return formatElapsed(at - begin)
  }
  return {
    columns: columnsOf[form],
    /** Formats the time of an event. Call once per event in order of arrival: relative times count from a call's first event. */
    of: (origin: CallOrigin, timestamp?: string) => formatTime(readDateTime(timestamp) ?? now(), origin),
  }
}

const columnsOf = {
  relative: '+1:02:03'.length,
  local: '10:00:00'.length,
  iso: '2026-03-01T10:00:00.000Z'.length,
} as const

/** Formats `+0:00`, `+12:34`, `+1:02:03` or `+10h`, at most eight columns. */
function formatElapsed(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000)
  if (hours > maxHours) return `>${maxHours}h`
  return hours >= 10 ? `+${hours}h` : `+${duration(milliseconds)}`
}

const maxHours = 99_999

/** Returns a map key for a call. Long ids are hashed. */
export function callKey({ callId, conversation }: CallOrigin): string {
  if (callId === null) return conversation === undefined ? noCall : `#${conversation}`
  return callId.length <= maxKeyLength ? callId : digest(callId)
}

/** Key of events without a call. */
export const noCall = '-'

export const maxKeyLength = 100
/** Bounds memory: calls keep coming and some never end. Same limit as in `createSeenCalls`. */
export const maxCalls = 100_000

export type TimestampFormat = 'relative' | 'local' | 'iso' | 'none'
