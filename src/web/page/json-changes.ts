import { isObject } from '../../lib/json.ts'

export type Mark = 'added' | 'changed' | 'removed'

/** A field of an object or an item of a list. */
export interface JsonChild {
  /** Undefined for an item of a list. */
  readonly key: string | undefined
  readonly value: unknown
  /** Undefined if unchanged or if the previous value is unknown. */
  readonly mark: Mark | undefined
  /** Value before the change; undefined if it was missing. */
  readonly before: unknown
}

/** Placeholder for an earlier value that is unknown. */
export const unknownBefore = Symbol('unknown')

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Returns the fields or items of a value, each with its change since `before`. Items of a list are compared by index. */
export function listChildren(value: object, before: unknown): JsonChild[] {
  if (before === unknownBefore)
    return entriesOf(value).map(([key, child]) => ({ key, value: child, mark: undefined, before }))
  const entriesBefore = new Map(isSameKind(value, before) ? entriesOf(before, true) : [])
  const children = entriesOf(value, true).map(([key, child]): JsonChild => {
    const childKey = Array.isArray(value) ? undefined : key
    if (!entriesBefore.has(key)) return { key: childKey, value: child, mark: 'added', before: undefined }
    const was = entriesBefore.get(key)
    entriesBefore.delete(key)
    return { key: childKey, value: child, mark: isEqual(child, was) ? undefined : 'changed', before: was }
  })
  const removed = [...entriesBefore].map(
    ([key, was]): JsonChild => ({
      key: Array.isArray(value) ? undefined : key,
      value: was,
      mark: 'removed',
      before: was,
    }),
  )
  return [...children, ...removed]
}

function entriesOf(value: object, named: true): [key: string, value: unknown][]
function entriesOf(value: object): [key: string | undefined, value: unknown][]
function entriesOf(value: object, named = false): [key: string | undefined, value: unknown][] {
  if (!Array.isArray(value)) return Object.entries(value)
  return value.map((item, index) => [named ? String(index) : undefined, item])
}

/** True if both are objects or both are lists, so that their parts can be compared. */
export function isSameKind(value: unknown, before: unknown): before is object {
  return isObject(value) ? isObject(before) : Array.isArray(value) && Array.isArray(before)
}

/** Counts the values that were added, changed and removed. An added or removed value counts as one, whatever its parts. */
export function countChanges(value: unknown, before: unknown): Record<Mark, number> {
  const counts = { added: 0, changed: 0, removed: 0 }
  const add = (child: unknown, was: unknown, depth: number) => {
    if (!isContainer(child) || !isSameKind(child, was) || depth > maxDepth) {
      counts.changed += 1
      return
    }
    for (const grandchild of listChildren(child, was)) {
      if (grandchild.mark === 'changed') add(grandchild.value, grandchild.before, depth + 1)
      else if (grandchild.mark !== undefined) counts[grandchild.mark] += 1
    }
  }
  if (!isEqual(value, before)) add(value, before, 0)
  return counts
}

/** Deeper values count as changed: a body may nest deeper than a function can call itself. */
const maxDepth = 200

export function isEqual(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true
  if (!isContainer(one) || !isSameKind(one, other) || depth > maxDepth) return false
  const [first, second] = [entriesOf(one, true), new Map(entriesOf(other, true))]
  return (
    first.length === second.size &&
    first.every(([key, value]) => second.has(key) && isEqual(value, second.get(key), depth + 1))
  )
}
