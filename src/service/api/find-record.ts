import { idText } from '../../interface/fields.ts'
import { isObject } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'

type Fields = Readonly<Record<string, unknown>>

/** Fields that deployments use as an envelope around a record. */
const envelopes = ['data', 'result', 'response', 'payload', 'body', 'record', 'item']
const lists = ['faq', 'faqs', 'entries', 'items', 'results', 'records', ...envelopes]
const maxDepth = 3

const idSchema = lazy(idText)

/**
 * Finds a new record and its id: in `field`, under another common name (`id`, `_id`, `sid`, `callId`), in an envelope (`data.id`) or
 * in a list of one. Undefined if there is no id. Keeps the fields around the record.
 */
export function findRecord(
  value: unknown,
  field: string,
  noun: string,
): { readonly id: string; readonly fields: Fields } | undefined {
  const names = [field, 'id', '_id', 'sid', 'uuid', `${noun}Id`, `${noun}_id`, `${noun}Sid`]
  const around = isObject(value) ? value : {}
  const records = [...recordsIn(value, [noun, ...envelopes])]
  // An `id` around a record with the field of the interface may be that of the request.
  for (const accepted of [[field], names]) {
    for (const record of records) {
      const id = idIn(record, accepted)
      if (id !== undefined) return { id, fields: { ...around, ...record } }
    }
  }
  return undefined
}

/**
 * FAQ entries of a response, each with its id in `id`: the response itself if it is a list, else the first list in an envelope.
 * Undefined if there is none.
 */
export function findEntries(value: unknown, depth = maxDepth): Fields[] | undefined {
  if (Array.isArray(value)) return value.filter(isObject).map(withEntryId)
  if (!isObject(value) || depth === 0) return undefined
  for (const name of lists) {
    const entries = findEntries(value[name], depth - 1)
    if (entries !== undefined) return entries
  }
  return undefined
}

function withEntryId(entry: Fields): Fields {
  const id = idIn(entry, ['id', '_id', 'faqId', 'faq_id', 'entryId'])
  return id === undefined || id === entry.id ? entry : { ...entry, id }
}

/**
 * Parses an id of a response. Undefined if it is not an id, is blank, or contains control characters or U+FFFD, which replaces bytes
 * that were not UTF-8.
 */
export function readId(value: unknown): string | undefined {
  const id = idSchema().safeParse(value).data
  return id === undefined || /^\s*$|[\p{Cc}\ufffd]/u.test(id) ? undefined : id
}

/** The value and the values nested in its envelopes, outermost first. */
function* recordsIn(value: unknown, names: readonly string[], depth = maxDepth): Generator<Fields> {
  if (Array.isArray(value)) {
    if (value.length === 1 && depth > 0) yield* recordsIn(value[0], names, depth - 1)
    return
  }
  if (!isObject(value)) return
  yield value
  if (depth > 0) for (const name of names) yield* recordsIn(value[name], names, depth - 1)
}

function idIn(record: Fields, names: readonly string[]): string | undefined {
  for (const name of names) {
    const id = Object.hasOwn(record, name) ? readId(record[name]) : undefined
    if (id !== undefined) return id
  }
  return undefined
}
