import type { FieldPath } from '../../interface/finding.ts'
import { isObject } from '../../lib/json.ts'
import { readDuration } from '../../lib/text/date-time.ts'
import { type ComparedUnit, MatcherError } from '../errors.ts'
import type { Comparison, Operator, ValueMatcher } from '../test-case.ts'
import { isPattern, matchesPattern, readPattern } from './text.ts'

/** Levels of a value that a test expects. */
const maxDepth = 50

/**
 * What an argument of a tool or a part of the analysis must be like. `any` is any value that is there; `/…/i` a pattern; `">= 1"` compares
 * numbers; an object names fields and leaves others free; a list is as long and in this order; all else is equal.
 * @throws MatcherError with the path inside the value
 */
export async function readValueMatcher(value: unknown, path: FieldPath = []): Promise<ValueMatcher> {
  if (path.length > maxDepth)
    throw new MatcherError({ code: 'nested-too-deep', details: { max: maxDepth } }, path)
  if (typeof value === 'string') return readText(value, path)
  if (Array.isArray(value)) {
    const items: ValueMatcher[] = []
    for (const [index, item] of value.entries()) items.push(await readValueMatcher(item, [...path, index]))
    return { kind: 'list', items }
  }
  if (!isObject(value)) return { kind: 'equals', value }
  const fields: [string, ValueMatcher][] = []
  for (const [name, field] of Object.entries(value))
    fields.push([name, await readValueMatcher(field, [...path, name])])
  return { kind: 'object', fields: Object.fromEntries(fields) }
}

async function readText(text: string, path: FieldPath): Promise<ValueMatcher> {
  if (text === 'any') return { kind: 'any' }
  if (isPattern(text)) {
    return readPattern(text).catch(error => {
      throw error instanceof MatcherError ? new MatcherError(error.problem, path) : error
    })
  }
  const comparison = readValueComparison(text)
  return comparison === undefined ? { kind: 'equals', value: text } : { kind: 'compared', ...comparison }
}

/** Whether a test compares a text as it stands, and reads nothing else in it. */
export function isPlainText(text: string): boolean {
  return text !== 'any' && !isPattern(text) && readValueComparison(text) === undefined
}

/** Where a value is not as a matcher asks for. */
interface Difference {
  readonly path: FieldPath
  /** Undefined: there is nothing. */
  readonly actual: unknown
}

/** All of them, in the order of the matcher: the fewest make the nearest call. */
export function differencesOf(
  expected: ValueMatcher,
  actual: unknown,
  path: FieldPath = [],
): readonly Difference[] {
  if (expected.kind === 'object' && isObject(actual)) {
    return Object.entries(expected.fields).flatMap(([name, field]) =>
      differencesOf(field, Object.hasOwn(actual, name) ? actual[name] : undefined, [...path, name]),
    )
  }
  if (expected.kind === 'list' && Array.isArray(actual)) {
    const ofItems = expected.items.flatMap((item, index) =>
      differencesOf(item, actual[index], [...path, index]),
    )
    return actual.length > expected.items.length ? [...ofItems, { path, actual }] : ofItems
  }
  return isAs(expected, actual) ? [] : [{ path, actual }]
}

function isAs(expected: ValueMatcher, actual: unknown): boolean {
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
    case 'object':
    case 'list':
      return false
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

const operators = ['<=', '>=', '<', '>', '='] as const satisfies readonly Operator[]

const examples: Readonly<Record<ComparedUnit, readonly string[]>> = {
  count: ['<= 40', '1'],
  duration: ['<= 2m', '> 500ms'],
}

/**
 * `"<= 40"` of a count, `"<= 2m"` of a duration (its amount is in milliseconds); without an operator it is to be equal.
 * @throws MatcherError
 */
export function readComparison(text: string | number, unit: ComparedUnit): Comparison {
  const { operator = '=', rest } = splitOperator(String(text))
  const amount = unit === 'duration' ? readDuration(rest) : readNumber(rest)
  if (amount !== undefined && amount >= 0) return { operator, amount }
  throw new MatcherError({ code: 'no-comparison', details: { unit, operators, examples: examples[unit] } })
}

/** `">= 7"` of a value; undefined for a text that compares nothing. */
function readValueComparison(text: string): Comparison | undefined {
  const { operator, rest } = splitOperator(text)
  const amount = readNumber(rest)
  return operator === undefined || amount === undefined ? undefined : { operator, amount }
}

export function compares({ operator, amount }: Comparison, actual: number): boolean {
  if (operator === '<') return actual < amount
  if (operator === '<=') return actual <= amount
  if (operator === '>') return actual > amount
  return operator === '>=' ? actual >= amount : actual === amount
}

/** Of a number, or of a text that is one: `8`, `-1.5`, `80%`. */
function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? readNumber(value.trim().replace(/%$/, '')) : undefined
}

function splitOperator(text: string): { readonly operator: Operator | undefined; readonly rest: string } {
  const trimmed = text.trim()
  const operator = operators.find(each => trimmed.startsWith(each))
  return { operator, rest: trimmed.slice(operator?.length ?? 0).trim() }
}

function readNumber(text: string): number | undefined {
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined
}
