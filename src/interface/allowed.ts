import * as z from 'zod/mini'
import { unwrap } from './vocabulary.ts'

/** Describes the values of a field: `a whole number from 5 to 600`, `true or false`, `one of a, b`. */
export function describeAllowed(schema: z.ZodMiniType): string {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodMiniEnum)
    return inner.options.length === 1 ? String(inner.options[0]) : `one of ${inner.options.join(', ')}`
  if (inner instanceof z.ZodMiniLiteral) return [...inner.def.values].join(', ')
  if (inner instanceof z.ZodMiniBoolean) return 'true or false'
  if (inner instanceof z.ZodMiniNumber) return describeNumber(inner)
  if (inner instanceof z.ZodMiniString) return describeString(inner)
  if (inner instanceof z.ZodMiniArray)
    return `a list, each item ${describeAllowed(inner.def.element as z.ZodMiniType)}`
  if (inner instanceof z.ZodMiniUnion) return describeUnion(inner.def.options as z.ZodMiniType[])
  if (inner instanceof z.ZodMiniRecord) return namesToValues
  if (inner instanceof z.ZodMiniObject && inner.def.catchall instanceof z.ZodMiniUnknown) return 'a mapping'
  if (inner instanceof z.ZodMiniObject) return describeFields(inner)
  if (inner instanceof z.ZodMiniNullable) return describeAllowed(inner.def.innerType as z.ZodMiniType)
  return 'any value'
}

const namesToValues = 'a mapping of names to values'

/** A longer list of fields is not read. */
const maxNamedFields = 12

function describeFields({ shape, def: { catchall } }: z.ZodMiniObject): string {
  const names = Object.keys(shape)
  if (names.length === 0 && catchall !== undefined && !(catchall instanceof z.ZodMiniNever))
    return namesToValues
  return names.length > maxNamedFields ? 'a mapping of its fields' : `a mapping with ${names.join(', ')}`
}

/** A list is described before its items. */
function describeUnion(options: readonly z.ZodMiniType[]): string {
  const alone = options.map(describeAllowed)
  const words = options.map((option, index) => {
    const isOfThese =
      option instanceof z.ZodMiniArray && alone.includes(describeAllowed(option.def.element as z.ZodMiniType))
    return isOfThese ? 'a list of these' : alone[index]
  })
  return words.join(', or ')
}

function describeNumber(schema: z.ZodMiniNumber): string {
  const name = schema instanceof z.ZodMiniNumberFormat ? 'a whole number' : 'a number'
  const range = formatRange(schema)
  return range === undefined ? name : `${name} ${range}`
}

/** The values that a number may have: `from 5 to 600`, `above 0`. */
export function formatRange({ def: { checks = [] } }: z.ZodMiniNumber): string | undefined {
  const low = checks.find(one => one instanceof z.core.$ZodCheckGreaterThan)?._zod.def
  const high = checks.find(one => one instanceof z.core.$ZodCheckLessThan)?._zod.def
  if (low?.inclusive === true && high?.inclusive === true) return `from ${low.value} to ${high.value}`
  const limits = [
    low === undefined ? undefined : `${low.inclusive ? 'at least' : 'above'} ${low.value}`,
    high === undefined ? undefined : `${high.inclusive ? 'at most' : 'below'} ${high.value}`,
  ].filter(limit => limit !== undefined)
  return limits.length === 0 ? undefined : limits.join(' and ')
}

const formats: Readonly<Record<string, string>> = {
  'web-url': 'an http:// or https:// URL',
  'time-span': 'a duration such as 90s, 1.5h or 2d',
  datetime: 'a date and time in UTC such as 2026-03-01T10:00:00Z',
}

function describeString(schema: z.ZodMiniString): string {
  const format = schema instanceof z.ZodMiniStringFormat ? formats[schema.def.format] : undefined
  if (format !== undefined) return format
  const { checks = [] } = schema.def
  const shortest = checks.find(one => one instanceof z.core.$ZodCheckMinLength)?._zod.def.minimum ?? 0
  const longest = checks.find(one => one instanceof z.core.$ZodCheckMaxLength)?._zod.def.maximum
  const prefix = checks.find(one => one instanceof z.core.$ZodCheckStartsWith)?._zod.def.prefix
  const limits = [
    prefix === undefined ? undefined : `that starts with ${prefix}`,
    longest === undefined ? undefined : `of at most ${longest} characters`,
  ].filter(limit => limit !== undefined)
  return [shortest > 0 ? 'text that is not empty' : 'text', ...limits].join(' ')
}

/**
 * Returns the hint for a string that YAML read as a number, boolean or null: `+12025550123` without quotes is a number. Undefined if
 * quotes would not help.
 */
export function quotesHint(
  schema: z.ZodMiniType | undefined,
  actual: unknown,
  written: string | undefined,
): string | undefined {
  const inner = schema instanceof z.ZodMiniNullable ? schema.def.innerType : schema
  // An object may have its own `toString` that is not a function.
  if (typeof actual === 'object' && actual !== null) {
    const [value, ...more] = Object.values(actual)
    const isSplitText = typeof value === 'string' && more.length === 0 && !Array.isArray(actual)
    return isSplitText && inner instanceof z.ZodMiniString ? 'quote text that contains ": "' : undefined
  }
  const text = written ?? String(actual)
  const forms = inner instanceof z.ZodMiniUnion ? inner.def.options : [inner]
  const expectsText = forms.some(
    form => form instanceof z.ZodMiniString || (form instanceof z.ZodMiniEnum && form.options.includes(text)),
  )
  if (!expectsText) return undefined
  if (typeof actual === 'number' || typeof actual === 'boolean' || (actual === null && written))
    return `put it in quotes: ${JSON.stringify(text)}`
  return actual === null ? 'write a text, or leave the field out' : undefined
}
