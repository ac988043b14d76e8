/**
 * Milliseconds since the epoch of what should be a date-time string; undefined for anything else that a service sent, and for a
 * time that ISO 8601 writes with a year of more digits.
 */
export function readDateTime(text: string | undefined): number | undefined {
  // Date.parse takes nearly anything for a date.
  if (text === undefined || !dateTime.test(text)) return undefined
  const at = Date.parse(text)
  return at >= firstYear && at < lastYear ? at : undefined
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/
const firstYear = Date.parse('0000-01-01T00:00:00Z')
const lastYear = Date.parse('+010000-01-01T00:00:00Z')

/** The time of day on this machine, `09:05:07`, of milliseconds since the epoch. */
export function timeOfDay(milliseconds: number): string {
  const date = new Date(milliseconds)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

/** The day on this machine, `2026-03-01`, of milliseconds since the epoch. */
export function localDate(milliseconds: number): string {
  const date = new Date(milliseconds)
  return [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-')
}

/** Day and time on this machine, `2026-03-01 09:05:07`, of milliseconds since the epoch or of a date-time string. */
export function localDateTime(at: number | string): string {
  const milliseconds = new Date(at).getTime()
  return `${localDate(milliseconds)} ${timeOfDay(milliseconds)}`
}

/** The same without seconds: `2026-03-01 09:05`. */
export function localMinute(at: number | string): string {
  return localDateTime(at).slice(0, -':07'.length)
}

/**
 * Returns the time zone of this machine, which `TZ` sets: its name, or an offset such as -05:00 if `TZ` is one. UTC for a `TZ` that is not
 * known, as `date` does.
 */
export function localTimeZone(): string {
  const timeZone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone
  // Node has no name for `Foo+5`, and the opposite one for `GMT-3`: GMT-03:00, from Node 22 on -03:00.
  if (timeZone !== undefined && !/^(Etc\/Unknown|(GMT)?[+-].*)$/.test(timeZone)) return timeZone
  const minutes = -new Date(0).getTimezoneOffset()
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`
}

/**
 * Returns a function that tells day and minute of the day of milliseconds since the epoch in a time zone; without one, in that of this
 * machine, which `TZ` sets.
 */
export function createCalendar(timeZone: string | undefined) {
  // Sweden writes 2026-03-01 09:05.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (milliseconds: number): { readonly day: string; readonly minute: number } => {
    const [day = '', time = ''] = format.format(milliseconds).split(' ')
    const [hours = '', minutes = ''] = time.split(':')
    return { day, minute: Number(hours) * 60 + Number(minutes) }
  }
}

/** The seconds that have passed, as a running clock shows them: 0:22 until 0:23 is reached. */
export function wholeSeconds(milliseconds: number): number {
  return Math.max(0, Math.floor(milliseconds / 1000))
}

/** Whole seconds as `0:09`, `1:05`, `1:02:03`. */
export function duration(milliseconds: number): string {
  const seconds = wholeSeconds(milliseconds)
  const minutes = Math.floor(seconds / 60)
  const rest = twoDigits(seconds % 60)
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${rest}`
}

/** `1.2 s` */
export function secondsText(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** `2 s`, `0.5 s`, `3 min`, `28 h`. */
export function formatWait(milliseconds: number): string {
  if (milliseconds >= 7_200_000) return `${Math.round(milliseconds / 3_600_000)} h`
  if (milliseconds >= 120_000) return `${Math.round(milliseconds / 60_000)} min`
  if (milliseconds > 0 && milliseconds < 100) return `${milliseconds} ms`
  return `${Math.round(milliseconds / 100) / 10} s`
}

/** The two largest units of a duration: `3 d 4 h`, `1 h 5 min`, `45 s`. */
export function roughDuration(seconds: number): string {
  let rest = Math.round(seconds)
  const first = units.findIndex(([length]) => rest >= length)
  if (first === -1) return '0 s'
  const parts = units.slice(first, first + 2).map(([length, unit]) => {
    const number = Math.floor(rest / length)
    rest -= number * length
    return [number, unit] as const
  })
  return parts.flatMap(([number, unit]) => (number === 0 ? [] : [`${number} ${unit}`])).join(' ')
}

/** 7 as `07`. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

export const durationPattern = /^(\d{1,15}(?:\.\d{1,9})?)(ms|[smhdw])$/

/** `500ms`, `30s`, `2m`, `1.5h`, `2d`, `1w` → milliseconds, whole ones; undefined for any other text. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit = ''] = durationPattern.exec(text.trim()) ?? []
  const unitMs = unitsMs[unit]
  return amount === undefined || unitMs === undefined ? undefined : Math.ceil(Number(amount) * unitMs)
}
