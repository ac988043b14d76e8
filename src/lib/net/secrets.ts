export const redacted = '****'

const secretHeaders = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'api-key',
])

/** True if a header carries secrets. */
export function isSecretHeader(name: string): boolean {
  return secretHeaders.has(name.toLowerCase())
}

/** Secrets as a text may carry them: plain, inside JSON, inside a URL. The longest first. */
export function listSecretForms(secrets: readonly string[]): string[] {
  const forms = secrets.flatMap(secret => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ])
  return [...new Set(forms)].filter(form => form !== '').sort((one, other) => other.length - one.length)
}

/** `"Authorization": "…"` inside a JSON text: a tool's server may carry the headers of another service. */
const secretField =
  /("(?:authorization|proxy-authorization|cookie|set-cookie|(?:x-)?api[-_]?key|password|secret)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi

/** A JSON text without the values of fields that carry secrets. */
export function redactSecretFields(text: string): string {
  return text.replace(secretField, `$1"${redacted}"`)
}
