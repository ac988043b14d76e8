import { isObject } from '../../lib/json.ts'

/** Patterns may backtrack forever, and references may multiply the work exponentially. */
const unboundedKeywords = new Set(['pattern', 'patternProperties', '$ref', '$dynamicRef', '$recursiveRef'])
/** Characters of schema and values as JSON. Formats and `uniqueItems` take quadratic time in the worst case. */
const maxLength = 16 * 1024

/** True if validation is fast for any values of this size. A property named like one of these keywords counts as the keyword. */
export function isBounded(schema: unknown, values: unknown): boolean {
  return lengthOf(schema) + lengthOf(values) <= maxLength && !hasUnboundedKeyword(schema)
}

function hasUnboundedKeyword(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasUnboundedKeyword)
  if (!isObject(schema)) return false
  return Object.entries(schema).some(
    ([keyword, value]) => unboundedKeywords.has(keyword) || hasUnboundedKeyword(value),
  )
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
