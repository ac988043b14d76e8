import { CallyardError } from '../../lib/error.ts'
import { isSecretHeader, listSecretForms, redacted, redactSecretFields } from '../../lib/net/secrets.ts'
import { escapeRegExp } from '../../lib/text/escape.ts'

/** A key with fewer characters may be a common word: it is concealed only where a key is meant. */
const minReplacedLength = 8

export type Redactor = ReturnType<typeof createRedactor>

/**
 * Removes an API key from text that may be shown, and other secrets of requests, of which short ones may be common words. Used for every
 * error and debug line. Ignores empty secrets.
 */
export function createRedactor(apiKey: string, secrets: readonly string[] = []) {
  const forms = listSecretForms([apiKey])
  const others = listSecretForms(secrets.filter(({ length }) => length >= minReplacedLength))
  const without = (secret: readonly string[]) => (input: string) =>
    secret.reduce((rest, form) => rest.replaceAll(form, redacted), input)
  const anywhere = without(forms)
  const withoutOthers = without(others)
  const afterBearer = (input: string) =>
    forms.reduce(
      (rest, form) =>
        rest.replace(new RegExp(`(\\bbearer\\s+)${escapeRegExp(form)}(?!\\w)`, 'gi'), `$1${redacted}`),
      input,
    )
  const withoutKey = apiKey.length < minReplacedLength ? afterBearer : anywhere
  const text = (input: string) => withoutOthers(withoutKey(input))
  return {
    /** Without the key, in any of the forms that it can take in a text; a short one only after `Bearer`. */
    text,
    /** A header's value, concealed when the header is one that carries secrets, and without the key however short. */
    header: (name: string, value: string) =>
      isSecretHeader(name) ? redacted : withoutOthers(anywhere(value)),
    /** A body for a debug line: without the key and without the values of fields that carry secrets. */
    body: (input: string) => redactSecretFields(text(input)),
  }
}

/** `****abcd`: enough to tell keys apart. A short key shows nothing. */
export function maskKey(apiKey: string): string {
  return apiKey.length < 12 ? redacted : redacted + apiKey.slice(-4)
}

/** Returns a key that is valid in a header. Otherwise throws `unauthorized` without showing the key. */
export function checkApiKey(apiKey: string): string {
  const error = apiKeyProblem(apiKey)
  if (error === undefined) return apiKey
  throw new CallyardError('unauthorized', `the API key ${error}; nothing was sent`, {
    hint: 'copy the key again from the API keys section of the service’s dashboard',
    details: { outcome: 'not-sent' },
  })
}

/** Describes a problem of a key, following "the API key"; undefined if it can be sent. */
export function apiKeyProblem(apiKey: string): string | undefined {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return undefined
  if (apiKey.trim() === '') return 'is empty'
  if (/\s/.test(apiKey)) return 'contains a space or line break'
  return 'contains a character that cannot be sent in a header'
}
