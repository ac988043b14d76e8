/** A text, or the digits of a number; undefined for anything else, and for what is empty. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' ? String(value) : undefined
}
