import type { FieldPath } from '../../interface/finding.ts'
import { isObject } from '../../lib/json.ts'
import type { ValueMatcher } from '../test-case.ts'
import { compares, numberIn, readValueComparison } from './comparison.ts'
import { matchesPattern, readPattern } from './pattern.ts'
import { type MatcherProblem, problemOf, type ReadMatcher } from './problem.ts'

/** Levels of a value that a test expects. */
const maxDepth = 50

/**
 * What an argument of a tool or a part of the analysis must be like. `any` is any value that is there; `/…/i` a pattern; `">= 1"` compares
 * numbers; an object names fields and leaves others free; a list is as long and in this order; all else is equal.
 */
export function readValueMatcher(value: unknown): ReadMatcher<ValueMatcher> {
  const path: (string | number)[] = []
  const read = (part: unknown): ReadMatcher<ValueMatcher> => {
    if (path.length > maxDepth) return problemOf({ code: 'nested-too-deep', details: { max: maxDepth } })
    if (typeof part === 'string') return readText(part)
    if (Array.isArray(part)) {
      const items = readEach(part.map((item, index) => [index, item] as const))
      return 'problem' in items ? items : { matcher: { kind: 'list', items: items.matchers } }
    }
    if (!isObject(part)) return { matcher: { kind: 'equals', value: part } }
    const names = Object.keys(part)
    const fields = readEach(names.map(name => [name, part[name]] as const))
    if ('problem' in fields) return fields
    const entries = names.flatMap((name, index) => {
      const matcher = fields.matchers[index]
      return matcher === undefined ? [] : [[name, matcher] as const]
    })
    return { matcher: { kind: 'object', fields: Object.fromEntries(entries) } }
  }
  const readEach = (
    parts: readonly (readonly [string | number, unknown])[],
  ): { readonly matchers: readonly ValueMatcher[] } | { readonly problem: MatcherProblem } => {
    const matchers: ValueMatcher[] = []
    for (const [step, part] of parts) {
      path.push(step)
      const found = read(part)
      if ('problem' in found) return found
      matchers.push(found.matcher)
      path.pop()
    }
    return { matchers }
  }
  const found = read(value)
  return 'problem' in found ? { problem: { ...found.problem, path } } : found
}

function readText(text: string): ReadMatcher<ValueMatcher> {
  if (text === 'any') return { matcher: { kind: 'any' } }
  const pattern = readPattern(text)
  if (pattern !== undefined) return pattern
  const comparison = readValueComparison(text)
  return {
    matcher: comparison === undefined ? { kind: 'equals', value: text } : { kind: 'compared', ...comparison },
  }
}

/** Where a value is not as a matcher asks for. */
export interface Difference {
  readonly path: FieldPath
  readonly expected: ValueMatcher
  /** Undefined: there is nothing. */
  readonly actual: unknown
}

/** All of them, in the order of the matcher: the fewest make the nearest call. */
export function differencesOf(matcher: ValueMatcher, value: unknown): readonly Difference[] {
  const path: (string | number)[] = []
  const found: Difference[] = []
  const compare = (expected: ValueMatcher, actual: unknown): void => {
    const differs = () => found.push({ path: [...path], expected, actual })
    const compareEach = (parts: readonly (readonly [string | number, ValueMatcher, unknown])[]) => {
      for (const [step, part, inner] of parts) {
        path.push(step)
        compare(part, inner)
        path.pop()
      }
    }
    if (expected.kind === 'object') {
      if (!isObject(actual)) return void differs()
      const names = Object.keys(expected.fields)
      compareEach(
        names.flatMap(name => {
          const part = expected.fields[name]
          return part === undefined
            ? []
            : [[name, part, Object.hasOwn(actual, name) ? actual[name] : undefined] as const]
        }),
      )
    } else if (expected.kind === 'list') {
      if (!Array.isArray(actual)) return void differs()
      compareEach(expected.items.map((item, index) => [index, item, actual[index]] as const))
      if (actual.length > expected.items.length) differs()
    } else if (!isAs(expected, actual)) differs()
  }
  compare(matcher, value)
  return found
}

type Leaf = Exclude<ValueMatcher, { kind: 'object' | 'list' }>

function isAs(expected: Leaf, actual: unknown): boolean {
  if (actual === undefined) return false
  switch (expected.kind) {
    case 'any':
      return true
    case 'pattern': {
      const text = spelled(actual)
      return text !== undefined && matchesPattern(expected, text)
    }
    case 'compared': {
      const number = numberIn(actual)
      return number !== undefined && compares(expected, number)
    }
    case 'equals':
      return (
        expected.value === actual ||
        (spelled(actual) !== undefined && spelled(expected.value) === spelled(actual))
      )
  }
}

/**
 * A model writes a number as text, and a row of a CSV file has texts alone: 2 and "2" are the same, true and "true" too; "2.0" and "02" are
 * other texts.
 */
function spelled(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
