import { dropOldest } from '../../lib/drop-oldest.ts'
import { digest } from '../../lib/hash.ts'
import { duration, readDateTime, timeOfDay } from '../../lib/text/date-time.ts'
import type { CallOrigin } from '../conversation/index.ts'

/** Clock of a call, which is not that of the arrivals if its service has another time, as a sandbox at pace 0. */
interface CallClock {
  /** Start of the call. */
  readonly startAt: number
  /** Difference between the arrival of an event and its own time, in milliseconds; 0 unless the clocks differ. */
  readonly lag: number
}

/**
 * Creates a formatter of event times. An event has its own time if that is a valid date-time; everything else has its arrival time `now`
 * on the clock of the call.
 */
export function createTimes(form: TimestampFormat, now: () => number) {
  if (form === 'none') return { columns: 0, of: () => '' }
  const clocks = new Map<string, CallClock>()
  return {
    columns: columnsOf[form],
    /** Formats the time of an event. Call once per event in order of arrival: relative times count from a call's first event. */
    of: (origin: CallOrigin, timestamp?: string) => {
      const key = callKey(origin)
      const { at, clock } = readClock(clocks.get(key), now(), readDateTime(timestamp))
      clocks.delete(key)
      clocks.set(key, clock)
      dropOldest(clocks, maxCalls)
      if (form === 'iso') return new Date(at).toISOString()
      return form === 'local' ? timeOfDay(at) : formatElapsed(at - clock.startAt)
    },
  }
}

/** Time of an event on the clock of its call, from its arrival and its own time. */
function readClock(knownClock: CallClock | undefined, arrivedAt: number, ownTime: number | undefined) {
  const { startAt = Number.POSITIVE_INFINITY, lag: knownLag = 0 } = knownClock ?? {}
  const distance = ownTime === undefined ? knownLag : arrivedAt - ownTime
  const lag = Math.abs(distance) > maxDistanceMs ? distance : 0
  const at = ownTime ?? arrivedAt - lag
  // A late event may be on the same clock, but none is earlier than the first or later than now.
  const isAnother = knownLag === 0 && lag !== 0 && (at < startAt - maxDistanceMs || at > arrivedAt)
  return { at, clock: { startAt: Math.min(isAnother ? startAt - lag : startAt, at), lag } }
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

/** Longest distance between times of a call on one clock. Times further away are of another clock. */
export const maxDistanceMs = 60_000

/** Returns a map key for a call. Long ids are hashed. */
export function callKey({ callId, conversation }: CallOrigin): string {
  if (callId === null) return conversation === undefined ? noCall : `#${conversation}`
  return callId.length <= maxKeyLength ? callId : digest(callId)
}

/** Key of events without a call. */
export const noCall = '-'

export const maxKeyLength = 100
/** Bounds memory: calls keep coming and some never end. Same limit as in `createConversationCache`. */
export const maxCalls = 100_000

export type TimestampFormat = 'relative' | 'local' | 'iso' | 'none'
