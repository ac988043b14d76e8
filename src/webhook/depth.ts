/** Deeper than any real event, far from the depth at which JSON.stringify overflows the stack. */
const deepest = 100

/** Whether a parsed JSON value nests at most 100 levels. */
export function isShallow(value: unknown, levels = deepest): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => isShallow(inner, levels - 1))
}
