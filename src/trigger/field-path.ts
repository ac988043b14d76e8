import { isObject } from '../lib/json.ts'
import { type PlaceProblem, triggerError } from './errors.ts'

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

/**
 * The same value with another one at this path; what is missing on the way is made. A list takes an item that it has,
 * or the next one.
 * @throws CallwrightError `usage` for a path that leads to what is no list, has no fields, or is a list that is too short
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
  const notMade = (problem: PlaceProblem) => {
    const at = formatAssignmentPath(path.slice(0, depth))
    return triggerError('usage', 'field-not-made', { path: formatAssignmentPath(path), problem, at })
  }
  if (typeof step === 'number') {
    const items = value ?? []
    if (!Array.isArray(items)) throw notMade('no-list')
    if (step > items.length) throw notMade({ length: items.length })
    return items.toSpliced(step, 1, change(items[step]))
  }
  const fields = value ?? {}
  if (!isObject(fields)) throw notMade('no-fields')
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
