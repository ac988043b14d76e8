/** A moment as a document shows it. */
export interface ShownTime {
  /** ISO 8601 in UTC; undefined where the service sent something else. */
  readonly iso: string | undefined
  /** Of a time in UTC `10:00:05`, or what the service sent. */
  readonly clock: string
  /** `2026-03-01 10:00:05 UTC`, or what the service sent. */
  readonly full: string
}

/** Reads what should be a date-time string; whatever else it is, is shown as it came. */
export function showTime(text: string): ShownTime {
  const iso = toIso(text)
  if (iso === undefined) return { iso, clock: text, full: text }
  const clock = iso.slice(11, 19)
  return { iso, clock, full: `${iso.slice(0, 10)} ${clock} UTC` }
}

/** `1 min 5 s`; undefined where it cannot be told. */
export function showDuration(from: ShownTime | undefined, to: ShownTime | undefined): string | undefined {
  if (from?.iso === undefined || to?.iso === undefined) return undefined
  const seconds = Math.round((Date.parse(to.iso) - Date.parse(from.iso)) / 1000)
  if (seconds < 0) return undefined
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

function toIso(text: string): string | undefined {
  // Date.parse takes nearly anything for a date.
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/.test(text)) return undefined
  const milliseconds = Date.parse(text)
  if (Number.isNaN(milliseconds)) return undefined
  const iso = new Date(milliseconds).toISOString()
  return /^\d{4}-/.test(iso) ? iso : undefined
}
