/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds, or an HTTP date. Undefined when there is none, or none
 * that can be read.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // HTTP dates start with the name of a day; Date.parse would read "-5" as a year.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
