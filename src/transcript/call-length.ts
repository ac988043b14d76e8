import { readDateTime } from '../lib/text/date-time.ts'

export interface CallTimes {
  /** Its own times, ISO 8601; null, or something else, where the service sent none. */
  readonly startAt: string | null
  readonly endAt: string | null
  /** Arrival of its first and last event, milliseconds since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
}

/**
 * How long a call that has ended took, in milliseconds: by its own times where it has both, else from its first event to its
 * last. The clocks of the service and of this machine differ, so that one of each says nothing.
 */
export function callLength({ startAt, endAt, firstAt, lastAt }: CallTimes): number {
  const [start, end] = [startAt, endAt].map(at => readDateTime(at ?? undefined))
  const own = start !== undefined && end !== undefined && end >= start
  return own ? end - start : Math.max(0, lastAt - firstAt)
}
