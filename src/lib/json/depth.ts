/** Whether a value nests at most this many levels. */
export function nestsAtMost(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => nestsAtMost(inner, levels - 1))
}

/** Deeper than any real event, far from the depth at which JSON.stringify overflows the stack. */
const maxPrintedLevels = 100

/** JSON.parse takes nesting of any depth, JSON.stringify does not: a hostile body must not end the process. */
export function printable(value: unknown): unknown {
  return nestsAtMost(value, maxPrintedLevels) ? value : '(nested too deeply to show)'
}
