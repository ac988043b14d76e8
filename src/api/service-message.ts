import { isObject, parseJson } from '../lib/json.ts'
import { toExcerpt } from '../lib/text/escape.ts'

const maxLength = 500
/** Levels and members of a body that are read. */
const maxDepth = 8
const maxMembers = 20

/**
 * Extracts the error message of the service from a body of any shape, since interface.md 7 publishes none. Undefined without a message.
 * `redact` runs before truncation, so that no part of a secret remains.
 */
export function serviceMessage(
  body: string,
  contentType: string,
  redact: (text: string) => string,
): string | undefined {
  const found =
    /json/i.test(contentType) || /^\s*[{["]/.test(body)
      ? describe(parseJson(body))
      : /^text\/plain/i.test(contentType) && body.length <= maxLength
        ? body
        : undefined
  if (found === undefined) return undefined
  return toExcerpt(redact(found), maxLength) || undefined
}

const messageFields = [
  'message',
  'error_description',
  'errorMessage',
  'error_message',
  'error',
  'detail',
  'title',
  'msg',
  'reason',
]

/** `depth` is how many levels may still be read: a hostile nesting would overflow the stack. */
function describe(value: unknown, depth = maxDepth): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  if (depth === 0) return undefined
  if (Array.isArray(value)) {
    const parts = value
      .slice(0, maxMembers)
      .map(item => describeItem(item, depth - 1))
      .filter(part => part !== undefined)
    return parts.length === 0 ? undefined : parts.join('; ')
  }
  if (!isObject(value)) return undefined
  const message = [...messageFields.map(field => value[field]), isObject(value.data) ? value.data : undefined]
    .map(field => describe(field, depth - 1))
    .find(found => found !== undefined)
  const errors = isObject(value.errors)
    ? describeFields(value.errors, depth - 1)
    : describe(value.errors, depth - 1)
  // A list of errors often begins with what the message says, `… (and 1 more)`; a list of one is often the same.
  const first = message?.replace(/ \(and \d+ more\)$/, '')
  if (first !== undefined && (errors?.endsWith(first) || errors?.startsWith(`${first};`))) return errors
  const parts = [message, errors].filter(part => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(': ')
}

/** One of a list of errors, with the field that it is about. */
function describeItem(item: unknown, depth: number): string | undefined {
  const message = describe(item, depth)
  if (!isObject(item) || message === undefined) return message
  const field = [item.path, item.field, item.pointer, item.loc]
    .map(fieldName)
    .find(name => name !== undefined)
  return field === undefined || message.includes(field) ? message : `${field}: ${message}`
}

/** `name`, or `body.name` of `['body', 'name']`. */
function fieldName(place: unknown): string | undefined {
  const steps = Array.isArray(place) ? place.slice(0, maxMembers) : [place]
  const named = steps.filter(
    step => typeof step === 'string' || (Array.isArray(place) && typeof step === 'number'),
  )
  return named.length === 0 || named.length < steps.length ? undefined : named.join('.') || undefined
}

/** `{ name: ['is missing'] }`. */
function describeFields(errors: Readonly<Record<string, unknown>>, depth: number): string | undefined {
  const parts = Object.entries(errors)
    .slice(0, maxMembers)
    .flatMap(([field, value]) => {
      const message = describe(value, depth)
      return message === undefined ? [] : [`${field}: ${message}`]
    })
  return parts.length === 0 ? undefined : parts.join('; ')
}
