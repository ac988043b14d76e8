import { isObject, parseJson } from '../lib/json.ts'
import { toExcerpt } from '../lib/text/escape.ts'
import type { Redactor } from './redact.ts'

const maxLength = 500
/** Levels and members of a body that are read. */
const maxDepth = 8
const maxMembers = 20

/**
 * Extracts the error message of the service from a body of any shape, since interface.md 7 publishes none; the title of an HTML page.
 * Without a message, returns the start of the body; undefined if that is empty. Secrets are concealed before truncation, so that no
 * part of one remains.
 */
export function serviceMessage(
  body: string,
  contentType: string,
  redact: Pick<Redactor, 'text' | 'body'>,
): string | undefined {
  const isJson = /json/i.test(contentType) || /^\s*[{["]/.test(body)
  const found = isJson ? describe(parseJson(body)) : /<title[^>]*>([^<]{1,500})<\/title>/i.exec(body)?.[1]
  const message = found === undefined ? '' : toExcerpt(redact.text(found), maxLength)
  return message || bodyExcerpt(body, redact)
}

/** Start of a body, as shown in an error: one line, without secrets; undefined if empty. */
export function bodyExcerpt(body: string, redact: Pick<Redactor, 'body'>): string | undefined {
  return toExcerpt(redact.body(body), maxLength) || undefined
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
