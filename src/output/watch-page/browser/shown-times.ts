import { readDateTime, twoDigits } from '../../date-time.ts'

interface CallTimes {
  readonly finished: boolean
  /** Its own times, ISO 8601. */
  readonly startAt: string | null
  readonly endAt: string | null
  /** Arrival of its first and last event, milliseconds since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
}

/**
 * How long a call took, or is going on at `now`, in milliseconds: by its own times where it has them. The clocks of the
 * service and of this machine differ, so that one of each says nothing about a call that is over.
 */
export function lengthOf({ finished, startAt, endAt, firstAt, lastAt }: CallTimes, now: number): number {
  const [start, end] = [startAt, endAt].map(at => readDateTime(at ?? undefined))
  if (start !== undefined && end !== undefined && end >= start) return end - start
  return finished ? lastAt - firstAt : now - firstAt
}

/** `4 s`, `1 min 05 s`, `2 h 03 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`
}

/** `812 B`, `14.2 kB`, `3.0 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
