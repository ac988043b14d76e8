/** Whether a value nests at most this many levels. */
export function nestsAtMost(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => nestsAtMost(inner, levels - 1))
}
