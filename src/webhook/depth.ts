import { nestsAtMost } from '../interface/nests-at-most.ts'

/** Deeper than any real event, far from the depth at which JSON.stringify overflows the stack. */
const deepest = 100

/** JSON.parse takes nesting of any depth, JSON.stringify does not: a hostile body must not end the tail. */
export function printable(value: unknown): unknown {
  return nestsAtMost(value, deepest) ? value : '(nested too deeply to show)'
}
