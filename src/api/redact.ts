export const concealed = '****'
/** A key with fewer characters may be a common word: it is concealed only where a key is meant. */
const shortestReplaced = 8

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'api-key',
])

/** `"Authorization": "…"` inside a JSON text: a tool's server may carry the headers of another service. */
const secretField =
  /("(?:authorization|proxy-authorization|cookie|set-cookie|(?:x-)?api[-_]?key|password|secret)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi

/** Takes secrets out of text that may be shown: applied wherever an error or a debug line is made. */
export interface Redactor {
  /** Without the key, in any of the forms that it can take in a text; a short one only after `Bearer`. */
  text(text: string): string
  /** A header's value, concealed when the header is one that carries secrets, and without the key however short. */
  header(name: string, value: string): string
  /** A body for a debug line: without the key and without the values of fields that carry secrets. */
  body(text: string): string
}

/** A redactor for one API key. An empty key conceals nothing. */
export function createRedactor(apiKey: string): Redactor {
  const forms = [...new Set([apiKey, JSON.stringify(apiKey).slice(1, -1), percentEncode(apiKey)])]
    .filter(form => form !== '')
    .sort((one, other) => other.length - one.length)
  const anywhere = (input: string) => forms.reduce((rest, form) => rest.replaceAll(form, concealed), input)
  const afterBearer = (input: string) =>
    forms.reduce(
      (rest, form) =>
        rest.replace(new RegExp(`(\\bbearer\\s+)${escapeRegExp(form)}(?!\\w)`, 'gi'), `$1${concealed}`),
      input,
    )
  const text = apiKey.length < shortestReplaced ? afterBearer : anywhere
  return {
    text,
    header: (name, value) => (secretHeaders.has(name.toLowerCase()) ? concealed : anywhere(value)),
    body: input => text(input).replace(secretField, `$1"${concealed}"`),
  }
}

/** `****abcd`: enough to tell keys apart. A short key shows nothing. */
export function maskKey(apiKey: string): string {
  return apiKey.length < 12 ? concealed : concealed + apiKey.slice(-4)
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function percentEncode(text: string): string {
  return /\p{Surrogate}/u.test(text) ? text : encodeURIComponent(text)
}
