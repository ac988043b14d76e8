import { isObject } from '../../lib/json.ts'
import type { NotStored } from './not-stored-schema.ts'

type Difference = Pick<NotStored, 'field' | 'response'>
type Body = Readonly<Record<string, unknown>>

/**
 * Compares the response to a change with what was sent. Fields that the service adds are fine, and so are masked secrets. A response
 * without any field of the record tells nothing.
 */
export function findNotStored(sent: Body, record: Body): Difference[] {
  const isRecord = [...Object.keys(sent), 'type', 'name'].some(key => Object.hasOwn(record, key))
  return isRecord ? [...differences(sent, record, '')] : []
}

/** The same for entries, whose responses `answerTo` finds: each field once, with the number of entries. */
export function findNotStoredOfEntries<Entry extends Body>(
  entries: readonly Entry[],
  answerTo: (entry: Entry) => Body | undefined,
): (Difference & { readonly entries: number })[] {
  const found = new Map<string, Difference & { readonly entries: number }>()
  for (const entry of entries) {
    for (const difference of findNotStored(entry, answerTo(entry) ?? {})) {
      const key = `${difference.field} ${difference.response}`
      found.set(key, { ...difference, entries: (found.get(key)?.entries ?? 0) + 1 })
    }
  }
  return [...found.values()]
}

/** Returns the warning of a field. */
export function describeNotStored({ kind, id, field, response, entries }: NotStored): string {
  const what = response === 'missing' ? `did not store ${field}` : `stored another value of ${field}`
  const where = entries === undefined ? '' : ' of entries'
  return `${kind === 'knowledge-base' ? 'knowledge base' : kind} ${id}: the service ${what}${where}`
}

function* differences(sent: unknown, stored: unknown, field: string): Generator<Difference> {
  // A null asks for nothing.
  if (sent === undefined || sent === null) return
  if (stored === undefined || stored === null) yield { field, response: 'missing' }
  // `callForwardData` is an object, and documented as a list of objects (interface.md 2.1).
  else if (Array.isArray(stored) && !Array.isArray(sent) && stored.length === 1)
    yield* differences(sent, stored[0], field)
  else if (Array.isArray(sent) && Array.isArray(stored) && sent.length === stored.length)
    for (const [index, item] of sent.entries()) yield* differences(item, stored[index], `${field}[${index}]`)
  else if (isObject(sent) && isObject(stored))
    for (const [key, value] of Object.entries(sent))
      yield* differences(value, stored[key], field === '' ? key : `${field}.${key}`)
  else if (sent !== stored && !isMasked(stored)) yield { field, response: 'different' }
}

/** True for a secret that a service does not show, as in `sk-****1234`. */
function isMasked(stored: unknown): boolean {
  return typeof stored === 'string' && /[*•]{3}/.test(stored)
}
