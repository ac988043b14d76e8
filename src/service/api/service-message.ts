import { STATUS_CODES } from 'node:http'
import { isObject, parseJson } from '../../lib/json.ts'
import { collapseWhiteSpace, toExcerpt } from '../../lib/text/escape.ts'
import type { Redactor } from './redact.ts'

const maxLength = 500
/** Levels and members of a body that are read. */
const maxDepth = 8
const maxMembers = 20

/** Characters of a page that are searched for its text. */
const maxPageLength = 20_000

/** Message of a body about a failure, and the same followed by what the body has beside it. */
interface ServiceMessage {
  readonly message: string
  readonly text: string
}

/**
 * Extracts the error message of the service from a body of any shape, since interface.md 7 publishes none; the title and text of an HTML
 * page. Without a message, both are the start of the body; undefined if that is empty. Secrets are concealed before truncation, so that no
 * part of one remains.
 */
export function serviceMessage(
  body: string,
  contentType: string,
  redact: Redactor,
): ServiceMessage | undefined {
  const isJson = /json/i.test(contentType) || /^\s*[{["]/.test(body)
  const parts = isJson ? describeJson(parseJson(body), redact) : describePage(redact.body(body))
  const [message = '', text = ''] = [parts[0], parts.filter(part => part !== undefined).join(': ')].map(
    part => toExcerpt(part ?? '', maxLength),
  )
  if (message !== '') return { message, text }
  const excerpt = bodyExcerpt(body, redact)
  return excerpt === undefined ? undefined : { message: excerpt, text: excerpt }
}

/** Message of a body, and its other fields as text. */
type Parts = readonly [message?: string | undefined, details?: string | undefined]

function describeJson(value: unknown, redact: Redactor): Parts {
  const message = describe(value)
  if (message === undefined) return []
  const rest = details(value, message)
  if (rest === undefined) return [redact.text(message)]
  const text = redact.body(JSON.stringify(rest))
  const [sentence, ...others] = Object.values(parseJson(text) ?? {})
  return [redact.text(message), isSentence(sentence) && others.length === 0 ? sentence : text]
}

/** Title and text of a page that has a title. */
function describePage(page: string): Parts {
  const start = page.slice(0, maxPageLength)
  const title = collapseWhiteSpace(/<title[^>]*>([^<]{1,500})<\/title>/i.exec(start)?.[1] ?? '')
  if (title === '') return []
  const text = start.replace(/<(script|style)\b.*?<\/\1>/gis, ' ').replace(/<[^>]*>/g, ' ')
  return [title, collapseWhiteSpace(collapseWhiteSpace(text).replaceAll(title, ' ')) || undefined]
}

/** Start of a body, as shown in an error: one line, without secrets; undefined if empty. */
export function bodyExcerpt(body: string, redact: Redactor): string | undefined {
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

const moreErrors = / \(and \d+ more\)$/

/** `depth` is how many levels may still be read: a hostile nesting would overflow the stack. */
function describe(value: unknown, depth = maxDepth): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
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
    .find(text => text !== undefined)
  const errors = isObject(value.errors)
    ? describeFields(value.errors, depth - 1)
    : describe(value.errors, depth - 1)
  // A list of errors often begins with what the message says, `… (and 1 more)`; a list of one is often the same.
  const first = message?.replace(moreErrors, '')
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
function fieldName(location: unknown): string | undefined {
  const steps = Array.isArray(location) ? location.slice(0, maxMembers) : [location]
  const parts = steps.filter(
    step => typeof step === 'string' || (Array.isArray(location) && typeof step === 'number'),
  )
  return parts.length === 0 || parts.length < steps.length ? undefined : parts.join('.') || undefined
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

const knownFields = new Set([...messageFields, 'data', 'errors'])
const locationFields = new Set(['field', 'loc', 'param', 'pointer'])
/** Copies of the request. */
const echoFields = new Set(['input', 'request'])

/**
 * Parts of a body that its message does not say; undefined if there are none. Next to a message only sentences and locations are
 * details, not codes and times; in fields that are not known, everything.
 */
function details(value: unknown, message: string, depth = maxDepth, isKnown = true): unknown {
  if (depth === 0) return undefined
  if (Array.isArray(value)) {
    const items = value
      .slice(0, maxMembers)
      .map(item => details(item, message, depth - 1, isKnown))
      .filter(item => item !== undefined)
    return items.length === 0 ? undefined : items
  }
  if (isObject(value)) {
    const members = Object.entries(value)
      .slice(0, maxMembers)
      .map(([field, member]) => [
        field,
        isKnown ? fieldDetails(field, member, message, depth) : details(member, message, depth - 1, false),
      ])
      .filter(([, member]) => member !== undefined)
    return members.length === 0 ? undefined : Object.fromEntries(members)
  }
  const isSaid = value === message || (isSentence(value) && message.includes(value.replace(moreErrors, '')))
  const isDetail = isKnown ? isSentence(value) : value !== null && value !== ''
  return isDetail && !isSaid ? value : undefined
}

/** Details of a field next to those that are known. */
function fieldDetails(field: string, value: unknown, message: string, depth: number): unknown {
  const text = describe(value, depth - 1)
  const isSaid = text !== undefined && message.includes(`${field}: ${text}`)
  if (isSaid || echoFields.has(field)) return undefined
  if (locationFields.has(field)) {
    const location = fieldName(value)
    return location === undefined || message.includes(location) ? undefined : location
  }
  if (typeof value === 'object') {
    const isRead = text !== undefined || (field === 'errors' && isObject(value))
    return details(value, message, depth - 1, knownFields.has(field) && isRead)
  }
  return field === 'title' || isStatusPhrase(value) ? undefined : details(value, message, depth - 1)
}

function isSentence(value: unknown): value is string {
  return typeof value === 'string' && /\s/.test(value.trim())
}

function isStatusPhrase(value: unknown): boolean {
  return Object.values(STATUS_CODES).some(phrase => phrase === value)
}
