import { isObject } from '../../lib/json.ts'
import type { NotStored } from './not-stored-schema.ts'

export type Difference = Omit<NotStored, 'kind' | 'id'>
type Body = Readonly<Record<string, unknown>>

/**
 * Compares the response to a change with what was sent. Fields that the service adds are fine, and so are masked secrets. A response
 * without any field of the record tells nothing.
 */
export function findNotStored(sentBody: Body, record: Body): Difference[] {
  const isRecord = [...Object.keys(sentBody), 'type', 'name'].some(key => Object.hasOwn(record, key))
  return isRecord ? [...differences(sentBody, record, '')] : []
}

/** The same for entries, whose responses `answerTo` finds: each field once, with the number of entries. */
export function findNotStoredOfEntries<Entry extends Body>(
  entries: readonly Entry[],
  answerTo: (entry: Entry) => Body | undefined,
): Difference[] {
  const differencesByField = new Map<string, Difference>()
  for (const entry of entries) {
    for (const difference of findNotStored(entry, answerTo(entry) ?? {})) {
      const key = `${difference.field} ${difference.response}`
      differencesByField.set(key, { ...difference, entries: (differencesByField.get(key)?.entries ?? 0) + 1 })
    }
  }
  return [...differencesByField.values()]
}

/** Returns the warning of a field. */
export function describeNotStored({ kind, id, field, response, entries }: NotStored): string {
  const problem = response === 'missing' ? `did not store ${field}` : `stored another value of ${field}`
  const where = entries === undefined ? '' : ' of entries'
  return `${kind === 'knowledge-base' ? 'knowledge base' : kind} ${id}: the service ${problem}${where}`
}

function* differences(sentValue: unknown, stored: unknown, field: string): Generator<Difference> {
  // A null asks for nothing.
  if (sentValue === undefined || sentValue === null) return
  if (stored === undefined || stored === null) yield { field, response: 'missing' }
  // `callForwardData` is an object, and documented as a list of objects (interface.md 2.1).
  else if (Array.isArray(stored) && !Array.isArray(sentValue) && stored.length === 1)
    yield* differences(sentValue, stored[0], field)
  else if (Array.isArray(sentValue) && Array.isArray(stored) && sentValue.length === stored.length)
    for (const [index, item] of sentValue.entries())
      yield* differences(item, stored[index], `${field}[${index}]`)
  else if (isObject(sentValue) && isObject(stored))
    for (const [key, value] of Object.entries(sentValue))
      yield* differences(value, stored[key], field === '' ? key : `${field}.${key}`)
  else if (sentValue !== stored && !isMasked(stored)) yield { field, response: 'different' }
}

/** True for a secret that a service does not show, as in `sk-****1234`. */
function isMasked(stored: unknown): boolean {
  return typeof stored === 'string' && /[*•]{3}/.test(stored)
}
