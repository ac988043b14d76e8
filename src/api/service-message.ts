import { isObject } from '../interface/vocabulary.ts'

const longest = 500

/**
 * What the service says about an error, in whatever shape it says it: interface.md section 7 publishes none. Undefined
 * when no message can be found. `conceal` runs before anything is cut, so that no part of a secret is left.
 */
export function serviceMessage(
  body: string,
  contentType: string,
  conceal: (text: string) => string,
): string | undefined {
  const found =
    /json/i.test(contentType) || /^\s*[{["]/.test(body) ? fromJson(body) : fromText(body, contentType)
  if (found === undefined) return undefined
  const line = conceal(found).replace(/\s+/g, ' ').trim()
  if (line === '') return undefined
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

function fromJson(body: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  return describe(value)
}

function fromText(body: string, contentType: string): string | undefined {
  return /^text\/plain/i.test(contentType) && body.length <= longest ? body : undefined
}

function describe(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  if (Array.isArray(value)) {
    const parts = value
      .slice(0, 20)
      .map(describeItem)
      .filter(part => part !== undefined)
    return parts.length === 0 ? undefined : parts.join('; ')
  }
  if (!isObject(value)) return undefined
  const message = ['message', 'error_description', 'error', 'detail', 'title', 'msg', 'reason']
    .map(field => describe(value[field]))
    .find(found => found !== undefined)
  const errors = isObject(value.errors) ? describeFields(value.errors) : describe(value.errors)
  const parts = [message, errors].filter(part => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(': ')
}

/** One of a list of errors, with the field that it is about. */
function describeItem(item: unknown): string | undefined {
  const message = describe(item)
  if (!isObject(item) || message === undefined) return message
  const place = [item.path, item.field, item.pointer, item.loc].find(found => found !== undefined)
  const field = Array.isArray(place) ? place.join('.') : place
  return typeof field === 'string' && field !== '' && !message.includes(field)
    ? `${field}: ${message}`
    : message
}

/** `{ name: ['is missing'] }`. */
function describeFields(errors: Readonly<Record<string, unknown>>): string | undefined {
  const parts = Object.entries(errors).flatMap(([field, value]) => {
    const message = describe(value)
    return message === undefined ? [] : [`${field}: ${message}`]
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}
