import { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'

/** `messages[0].text` → `['messages', 0, 'text']`. */
export type Path = readonly [string, ...(string | number)[]]

/** Parses names joined by dots and indexes in brackets; undefined if the text is not a path. */
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

/** Returns how many steps of the path exist in the value. */
export function existingSteps(value: unknown, path: readonly (string | number)[]): number {
  let current = value
  for (const [index, step] of path.entries()) {
    const inner = childOf(current, step)
    if (inner === undefined) return index
    current = inner
  }
  return path.length
}

/**
 * Returns a copy with a value set at a path, creating missing parents. A list accepts an existing index or the next one.
 * @throws CallyardError `usage` for a path into a value that is not a list, has no fields, or is too short
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
  const notMade = (problem: PathProblem) =>
    fieldNotMade(formatAssignmentPath(path), problem, formatAssignmentPath(path.slice(0, depth)))
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

/** Returns a copy without the value at a path; later items of a list move up. */
export function withoutValue(value: unknown, path: readonly (string | number)[]): unknown {
  const [step, ...more] = path
  const inner = step === undefined ? undefined : childOf(value, step)
  if (step === undefined || inner === undefined) return value
  const remainingValues = more.length === 0 ? [] : [withoutValue(inner, more)]
  if (Array.isArray(value)) return value.toSpliced(Number(step), 1, ...remainingValues)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      name === step ? remainingValues.map(one => [name, one]) : [[name, field]],
    ),
  )
}

function childOf(value: unknown, step: string | number): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

/** Why a value cannot be set at a path: `length` is that of a list that ends before the index. */
type PathProblem = 'no-list' | 'no-fields' | { readonly length: number }

function fieldNotMade(path: string, problem: PathProblem, at: string): CallyardError {
  const isMessage = /^messages(?:$|[.[])/.test(path)
  return new CallyardError('usage', `${path}: ${describePathProblem(problem, at)}`, {
    code: 'field-not-made',
    hint: isMessage ? 'change the number of messages' : undefined,
    details: { path, problem, at },
  })
}

function describePathProblem(problem: PathProblem, at: string): string {
  if (problem === 'no-list') return `${at} is not a list`
  if (problem === 'no-fields') return `${at} has no fields`
  const { length } = problem
  return `${at} ${length === 0 ? 'is empty' : `ends at [${length - 1}]`}, so [${length}] is the next`
}
