import { twoDigits } from '../../lib/text/date-time.ts'
import { type CallTimes, callLength } from '../../transcript/call-words.ts'

/** How long a call took, or is going on at `now`, in milliseconds. */
export function lengthOf(call: CallTimes & { readonly finished: boolean }, now: number): number {
  return call.finished ? callLength(call) : now - call.firstAt
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
