import type { CallOrigin } from '../conversation/index.ts'
import { digest } from '../lib/hash.ts'
import { duration, readDateTime, timeOfDay } from '../lib/text/date-time.ts'

/**
 * The time of a message is its own if it is a date-time (what the service sent may be none), else that of its arrival, which is `now`
 * (milliseconds).
 */
export function createTimes(form: TimestampForm, now: () => number) {
  if (form === 'none') return { columns: 0, of: () => '' }
  const begins = new Map<string, number>()
  const write = (at: number, origin: CallOrigin) => {
    if (form === 'iso') return new Date(at).toISOString()
    if (form === 'local') return timeOfDay(at)
    const key = callKey(origin)
    // The clocks of the service and of this machine differ: what comes before the beginning becomes it.
    const begin = Math.min(begins.get(key) ?? at, at)
    begins.delete(key)
    begins.set(key, begin)
    dropOldest(begins)
    return elapsed(at - begin)
  }
  return {
    columns: columnsOf[form],
    /**
     * The time of an event, never wider than the column. To be asked once for each event in the order of their arrival,
     * shown or not: times are counted from the first event of a call.
     */
    of: (origin: CallOrigin, timestamp?: string) => write(readDateTime(timestamp) ?? now(), origin),
  }
}

const columnsOf = {
  relative: '+1:02:03'.length,
  local: '10:00:00'.length,
  iso: '2026-03-01T10:00:00.000Z'.length,
} as const

/** `+0:00`, `+12:34`, `+1:02:03`, `+10h`: at most eight columns, however long. */
function elapsed(milliseconds: number): string {
  const hours = Math.floor(milliseconds / 3_600_000)
  if (hours > maxHours) return `>${maxHours}h`
  return hours >= 10 ? `+${hours}h` : `+${duration(milliseconds)}`
}

const maxHours = 99_999

/** Map key of a call; long ids are hashed, because an id may be as long as a body. */
export function callKey({ callId, conversation }: CallOrigin): string {
  if (callId === null) return conversation === undefined ? noCall : `#${conversation}`
  return callId.length <= maxKeyLength ? callId : digest(callId)
}

/** Key of events that belong to no call. */
export const noCall = '-'

/** Calls come without end, and not all of them finish. */
export function dropOldest<Key>(calls: {
  readonly size: number
  keys(): Iterable<Key>
  delete(key: Key): unknown
}): void {
  if (calls.size <= maxCalls) return
  const [oldest] = calls.keys()
  if (oldest !== undefined) calls.delete(oldest)
}

export const maxKeyLength = 100
/** Same limit as in `createSeenCalls`. */
const maxCalls = 100_000

/** How times stand in front of the lines of a transcript. */
export type TimestampForm = 'relative' | 'local' | 'iso' | 'none'
