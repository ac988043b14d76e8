import { isObject } from '../../lib/json.ts'

/** `messages[0].text` → `['messages', 0, 'text']`. */
export type Path = readonly [string, ...(string | number)[]]

/** undefined where it is no path: names joined by dots, indexes in brackets. */
export function parsePath(text: string): Path | undefined {
  if (!/^[^.[\]\s]+(\[\d{1,6}\]|\.[^.[\]\s]+)*$/.test(text)) return undefined
  const [first = '', ...more] = [...text.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) =>
    index === undefined ? name : Number(index),
  )
  return [String(first), ...more]
}

export function formatAssignmentPath(path: readonly (string | number)[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('')
}

/** How many steps of the path lead to something that is there. */
export function stepsThere(value: unknown, path: readonly (string | number)[]): number {
  let current = value
  for (const [index, step] of path.entries()) {
    const inner = childOf(current, step)
    if (inner === undefined) return index
    current = inner
  }
  return path.length
}

/** A value cannot be put at a path. */
export class NoSuchPlace extends Error {
  override readonly name = 'NoSuchPlace'
  readonly problem: PlaceProblem
  /** The steps that lead to what is no list, has no fields, or is a list that is too short. */
  readonly path: readonly (string | number)[]

  constructor(problem: PlaceProblem, path: readonly (string | number)[]) {
    super(JSON.stringify(problem))
    this.problem = problem
    this.path = path
  }
}

/** Why: `length` is that of a list whose next item is another one. */
export type PlaceProblem = 'no-list' | 'no-fields' | { readonly length: number }

/**
 * The same value with another one at this path; what is missing on the way is made. A list takes an item that it has,
 * or the next one.
 * @throws NoSuchPlace
 */
export function withValue(
  value: unknown,
  path: readonly (string | number)[],
  put: unknown,
  depth = 0,
): unknown {
  const step = path[depth]
  if (step === undefined) return put
  const change = (inner: unknown) => withValue(inner, path, put, depth + 1)
  if (typeof step === 'number') {
    const items = value ?? []
    if (!Array.isArray(items)) throw new NoSuchPlace('no-list', path.slice(0, depth))
    if (step > items.length) throw new NoSuchPlace({ length: items.length }, path.slice(0, depth))
    return items.toSpliced(step, 1, change(items[step]))
  }
  const fields = value ?? {}
  if (!isObject(fields)) throw new NoSuchPlace('no-fields', path.slice(0, depth))
  // Not by assignment: a field may be called __proto__.
  return Object.fromEntries([...Object.entries(fields), [step, change(childOf(fields, step))]])
}

/** The same value without what stands at a path; of a list the items behind it move up. */
export function withoutValue(value: unknown, path: readonly (string | number)[]): unknown {
  const [step, ...more] = path
  const inner = step === undefined ? undefined : childOf(value, step)
  if (step === undefined || inner === undefined) return value
  const kept = more.length === 0 ? [] : [withoutValue(inner, more)]
  if (Array.isArray(value)) return value.toSpliced(Number(step), 1, ...kept)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      name === step ? kept.map(one => [name, one]) : [[name, field]],
    ),
  )
}

function childOf(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}
