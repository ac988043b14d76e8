/**
 * A time of an event as ISO 8601 (interface.md 2.9): a text that is none of a number stays as it is; seconds or milliseconds since
 * the epoch, as a number or as digits in a text, are told apart by their size. Any other number stays the text that it is: seconds
 * since the beginning of a call are no date. Undefined where there is nothing to show.
 */
export function readTime(value: unknown): string | undefined {
  if (typeof value === 'number') return isoOf(value) ?? String(value)
  if (typeof value !== 'string' || value === '') return undefined
  return digits.test(value) ? (isoOf(Number(value)) ?? value) : value
}

/** Whether a text of `readTime` is a point in time. */
export function isTime(text: string | undefined): boolean {
  if (text === undefined || !dateTime.test(text)) return false
  return !Number.isNaN(Date.parse(text))
}

const digits = /^\s*\d{9,16}(\.\d+)?\s*$/
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/

function isoOf(number: number): string | undefined {
  const at = number < minMilliseconds ? number * 1000 : number
  return number >= minSeconds && at < endOfTime ? new Date(at).toISOString() : undefined
}

/** 1973-03-03, in either unit: a smaller number is no date of a call. */
const minSeconds = 1e8
const minMilliseconds = 1e11
/** ISO 8601 writes later years with more digits. */
const endOfTime = Date.parse('+010000-01-01T00:00:00Z')
