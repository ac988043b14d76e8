import { readDuration } from '../../lib/text/date-time.ts'
import type { Comparison, Operator } from '../test-case.ts'
import { type ComparedUnit, problemOf, type ReadMatcher } from './problem.ts'

const operators = ['<=', '>=', '<', '>', '='] as const satisfies readonly Operator[]

const examples: Readonly<Record<ComparedUnit, readonly string[]>> = {
  count: ['<= 40', '1'],
  duration: ['<= 2m', '> 500ms'],
}

/** `"<= 40"` of a count, `"<= 2m"` of a duration (its amount is in milliseconds); without an operator it is to be equal. */
export function readComparison(text: string | number, unit: ComparedUnit): ReadMatcher<Comparison> {
  const { operator, rest } = splitOperator(String(text))
  const amount = unit === 'duration' ? readDuration(rest) : readCount(rest)
  return amount === undefined
    ? problemOf({ code: 'no-comparison', details: { unit, operators, examples: examples[unit] } })
    : { matcher: { operator: operator ?? '=', amount } }
}

/** `">= 7"` of a value; undefined for a text that compares nothing. */
export function readValueComparison(text: string): Comparison | undefined {
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
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? readNumber(value.trim().replace(/%$/, '')) : undefined
}

function splitOperator(text: string): { readonly operator: Operator | undefined; readonly rest: string } {
  const trimmed = text.trim()
  const operator = operators.find(each => trimmed.startsWith(each))
  return { operator, rest: trimmed.slice(operator?.length ?? 0).trim() }
}

function readCount(text: string): number | undefined {
  const amount = readNumber(text)
  return amount === undefined || amount < 0 ? undefined : amount
}

function readNumber(text: string): number | undefined {
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined
}
