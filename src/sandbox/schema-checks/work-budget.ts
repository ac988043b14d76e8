import { isObject } from '../../lib/json.ts'

/** Errors of one check are kept in memory until its end, one for each step at most. */
const maxSteps = 1_000_000
/** Nodes below each other in a schema or in values: a check recurses as deep. */
const maxDepth = 200

/** A check takes more steps than it may. */
export class TooMuchWork extends Error {}

export type WorkBudget = ReturnType<typeof createWorkBudget>

/** Counts the steps of one check, so that no schema and no values can keep the process busy. */
export function createWorkBudget(steps = maxSteps) {
  let remaining = steps
  return {
    /** @throws TooMuchWork once more is spent than there was. */
    spend(steps: number): void {
      remaining -= steps
      if (remaining < 0) throw new TooMuchWork('checking it is too much work')
    },
  }
}

/**
 * Counts a JSON value with all that it holds: values, elements and members.
 * @throws TooMuchWork for a value that is nested too deeply
 */
export function countNodes(value: unknown, depth = 0): number {
  if (depth > maxDepth) throw new TooMuchWork('it is nested too deeply')
  if (!isObject(value) && !Array.isArray(value)) return 1
  let nodes = 1
  for (const inner of Object.values(value)) nodes += countNodes(inner, depth + 1)
  return nodes
}
