import { redacted } from '../../lib/net/secrets.ts'
import type { DeliveryHead } from '../conversation/index.ts'

/** Headers and query of a delivery, as they are sent on. */
export interface Envelope {
  /** End-to-end headers; names in lower case. */
  readonly received: Readonly<Record<string, string>>
  /** Query of the request without its question mark; undefined for none. */
  readonly query?: string | undefined
}

/** Headers of one connection (RFC 9110 7.6.1), of its host, and of the response that our client reads. */
const ofConnection = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authorization', 'proxy-authenticate', 'host', 'content-length', 'expect', 'accept-encoding'],
])

/**
 * Returns the headers and the query of a delivery for another server. Values that a recording masked are left out, and so is the header
 * that the listener itself checked.
 */
export function envelopeOf({ headers, query }: DeliveryHead, secretHeader?: string): Envelope {
  const connectionHeaders = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/)
  const received: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ofConnection.has(name) || connectionHeaders.includes(name)) continue
    const text = Array.isArray(value) ? value.join(', ') : value
    if (name !== secretHeader?.toLowerCase() && !text.includes(redacted)) received[name] = text
  }
  const safeParts = query?.split('&').filter(part => !part.includes(redacted))
  return { received, ...(safeParts !== undefined && safeParts.length > 0 && { query: safeParts.join('&') }) }
}

/** True if a recording masked a part of the envelope. */
export function isMasked({ headers, query = '' }: DeliveryHead): boolean {
  return [query, ...Object.values(headers).flat()].some(text => text?.includes(redacted) === true)
}

/** Returns a URL with a further query. */
export function withQuery(url: string, query: string | undefined): URL {
  const parsed = new URL(url)
  if (query !== undefined) parsed.search = parsed.search === '' ? query : `${parsed.search}&${query}`
  return parsed
}
