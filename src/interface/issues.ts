import * as z from 'zod/mini'
import { isObject } from '../lib/json.ts'
import { findField, unwrap } from './vocabulary.ts'

/** Returns the issues that zod finds in a value; undefined if there are too many to show. */
export function findIssues(schema: z.ZodMiniType, value: unknown): readonly z.core.$ZodIssue[] | undefined {
  const issues: z.core.$ZodIssue[] = []
  try {
    for (const { part, name, start } of partsOf(schema, value)) {
      for (const issue of schema.safeParse(part, { reportInput: true }).error?.issues ?? []) {
        const [field, index, ...path] = issue.path
        // The first part has found what is wrong with all else.
        if (start === 0) issues.push(issue)
        else if (name !== undefined && field === name && typeof index === 'number')
          issues.push({ ...issue, path: [name, start + index, ...path] })
      }
      if (issues.length > maxIssues) return undefined
    }
  } catch (error) {
    // zod hands the issues of a list on as arguments of one call.
    if (error instanceof RangeError) return undefined
    throw error
  }
  return issues
}

/** About as many as zod can hold. */
const maxIssues = 100_000
/** Items that are checked together. zod copies each, and the copies of a long list would be too old for a minor garbage collection. */
const itemsPerPart = 1000

interface Part {
  readonly part: unknown
  /** Name of the field with the list. */
  readonly name?: string
  /** Index of its first item. */
  readonly start: number
}

/** An object once for each part of its long list, else the value itself. A rule about a list or an object as a whole needs it whole. */
function* partsOf(schema: z.ZodMiniType, value: unknown): Generator<Part> {
  const [name, list] = longListOf(schema, value) ?? []
  if (name === undefined || list === undefined) return yield { part: value, start: 0 }
  for (let start = 0; start < list.length; start += itemsPerPart) {
    const part = { ...Object(value), [name]: list.slice(start, start + itemsPerPart) }
    yield { part, name, start }
  }
}

function longListOf(schema: z.ZodMiniType, value: unknown) {
  if (!(schema instanceof z.ZodMiniObject) || hasRules(schema) || !isObject(value)) return undefined
  return Object.entries(value).find((entry): entry is [string, unknown[]] => {
    const [name, list] = entry
    if (!Array.isArray(list) || list.length <= itemsPerPart) return false
    const field = unwrap(findField(schema, name) ?? schema)
    return field instanceof z.ZodMiniArray && !hasRules(field)
  })
}

function hasRules({ def }: z.ZodMiniType): boolean {
  return (def.checks ?? []).length > 0
}
