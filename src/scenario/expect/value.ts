import type { FieldPath } from '../../interface/finding.ts'
import { isObject } from '../../lib/json.ts'
import { readDuration } from '../../lib/text/date-time.ts'
import { MatcherError } from '../errors.ts'
import type { Comparison, Operator, ValueMatcher } from '../test-case.ts'
import { isPattern, matchesPattern, readPattern } from './text.ts'

const maxDepth = 50

/**
 * Parses a matcher for tool arguments or analysis results. `any` matches any value that exists, `/…/i` is a pattern and `">= 1"` a
 * comparison. Objects allow other fields; lists must match in length and order; everything else must be equal.
 * @throws MatcherError with the path inside the value
 */
export async function readValueMatcher(value: unknown, path: FieldPath = []): Promise<ValueMatcher> {
  if (path.length > maxDepth)
    throw new MatcherError(
      'nested-too-deep',
      `it is nested more than ${maxDepth} levels deep`,
      undefined,
      path,
    )
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
      throw error instanceof MatcherError ? error.at(path) : error
    })
  }
  const comparison = readValueComparison(text)
  return comparison === undefined ? { kind: 'equals', value: text } : { kind: 'compared', ...comparison }
}

/** True if a matcher compares the text literally. */
export function isPlainText(text: string): boolean {
  return text !== 'any' && !isPattern(text) && readValueComparison(text) === undefined
}

/** Location where a value does not match. */
interface Difference {
  readonly path: FieldPath
  /** Undefined if the value is missing. */
  readonly actual: unknown
}

/** Returns all differences in the order of the matcher. */
export function diffValue(
  expected: ValueMatcher,
  actual: unknown,
  path: FieldPath = [],
): readonly Difference[] {
  if (expected.kind === 'object' && isObject(actual)) {
    return Object.entries(expected.fields).flatMap(([name, field]) =>
      diffValue(field, Object.hasOwn(actual, name) ? actual[name] : undefined, [...path, name]),
    )
  }
  if (expected.kind === 'list' && Array.isArray(actual)) {
    const ofItems = expected.items.flatMap((item, index) => diffValue(item, actual[index], [...path, index]))
    return actual.length > expected.items.length ? [...ofItems, { path, actual }] : ofItems
  }
  return matches(expected, actual) ? [] : [{ path, actual }]
}

function matches(expected: ValueMatcher, actual: unknown): boolean {
  if (actual === undefined) return false
  switch (expected.kind) {
    case 'any':
      return true
    case 'pattern': {
      const text = toScalarText(actual)
      return text !== undefined && matchesPattern(expected, text)
    }
    case 'compared': {
      const number = parseNumber(actual)
      return number !== undefined && satisfies(expected, number)
    }
    case 'equals':
      return (
        expected.value === actual ||
        (toScalarText(actual) !== undefined && toScalarText(expected.value) === toScalarText(actual))
      )
    case 'object':
    case 'list':
      return false
  }
}

/** Returns the text of a scalar, because models and CSV files write numbers as text: 2 equals "2", but "2.0" differs. */
function toScalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

const operators = ['<=', '>=', '<', '>', '='] as const satisfies readonly Operator[]

type ComparedUnit = 'count' | 'duration'

const examples: Readonly<Record<ComparedUnit, readonly string[]>> = {
  count: ['<= 40', '1'],
  duration: ['<= 2m', '> 500ms'],
}

/** Parses a comparison such as `"<= 40"` or `"<= 2m"` (in milliseconds). The default operator is `=`. @throws MatcherError */
export function readComparison(text: string | number, unit: ComparedUnit): Comparison {
  const { operator = '=', rest } = splitOperator(String(text))
  const amount = unit === 'duration' ? readDuration(rest) : parseDecimal(rest)
  if (amount !== undefined && amount >= 0) return { operator, amount }
  const expectedKind = unit === 'count' ? 'a number' : 'a duration'
  throw new MatcherError(
    'no-comparison',
    'it is not a comparison',
    `use ${expectedKind}, optionally after ${operators.join(', ')}: ${examples[unit].join(', ')}`,
  )
}

/** Returns undefined for a text without an operator. */
function readValueComparison(text: string): Comparison | undefined {
  const { operator, rest } = splitOperator(text)
  const amount = parseDecimal(rest)
  return operator === undefined || amount === undefined ? undefined : { operator, amount }
}

export function satisfies({ operator, amount }: Comparison, actual: number): boolean {
  if (operator === '<') return actual < amount
  if (operator === '<=') return actual <= amount
  if (operator === '>') return actual > amount
  return operator === '>=' ? actual >= amount : actual === amount
}

/** Returns a number, also from text such as `8`, `-1.5` or `80%`. */
function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? parseDecimal(value.trim().replace(/%$/, '')) : undefined
}

function splitOperator(text: string): { readonly operator: Operator | undefined; readonly rest: string } {
  const trimmed = text.trim()
  const operator = operators.find(candidate => trimmed.startsWith(candidate))
  return { operator, rest: trimmed.slice(operator?.length ?? 0).trim() }
}

function parseDecimal(text: string): number | undefined {
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined
}
