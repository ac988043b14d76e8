/** Deeper than any real event, far from the depth at which JSON.stringify overflows the stack. */
const deepest = 100

/** Whether a parsed JSON value nests at most 100 levels. */
export function isShallow(value: unknown, levels = deepest): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => isShallow(inner, levels - 1))
}

/** JSON.parse takes nesting of any depth, JSON.stringify does not: a hostile body must not end the tail. */
export function printable(value: unknown): unknown {
  return isShallow(value) ? value : '(nested too deeply to show)'
}
