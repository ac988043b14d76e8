import { CallyardError } from '../../lib/error.ts'
import { isLoopback } from '../../lib/net/address.ts'

const example = 'for example https://api.example.com, or http://127.0.0.1:4010 for a sandbox'

/**
 * The base URL of the service, with a path prefix where it has one. Throws a usage error unless it is https, or http on
 * loopback: a key never travels in clear.
 */
export function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined)
    throw new CallyardError('usage', `the base URL ${quote(text)} is not a URL`, { hint: example })
  if (url.username !== '' || url.password !== '') {
    throw new CallyardError('usage', `the base URL of ${url.host} contains a user name or password`, {
      hint: 'use the plain URL, and put the key into a profile or CALLYARD_API_KEY',
    })
  }
  if (url.search !== '' || url.hash !== '') {
    throw new CallyardError('usage', `the base URL of ${url.host} has a query or fragment`, {
      hint: example,
    })
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw new CallyardError(
      'usage',
      `the base URL ${quote(url.origin === 'null' ? text : url.origin)} is not https`,
      {
        hint: 'use https, or http on this machine (localhost, 127.0.0.1, [::1]); otherwise the key would be sent in clear text',
      },
    )
  }
  return url
}

/**
 * Base URL and path, joined by one slash; the path is already encoded. Throws a usage error for a path whose dots
 * lead out of the base URL's own path: the key is for what lies below it.
 */
export function joinUrl(base: URL, path: string): URL {
  const prefix = base.pathname.replace(/\/+$/, '')
  const url = new URL(base.origin + prefix + path)
  // Some servers read an encoded slash as a slash.
  const unfolded = new URL(base.origin + url.pathname.replace(/%2f|%5c/gi, '/'))
  if (url.pathname.startsWith(`${prefix}/`) && unfolded.pathname.startsWith(`${prefix}/`)) return url
  throw new CallyardError('usage', `${quote(path)} is outside the base URL ${base.origin}${prefix}`, {
    hint: 'the key is sent only to the base URL; use a path below it, without ..',
  })
}

/** An id as one segment of a path. Throws a usage error for what would be another path. */
export function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..' || /\p{Surrogate}/u.test(id)) {
    throw new CallyardError('usage', `${quote(id)} is not an id`)
  }
  return encodeURIComponent(id)
}

function quote(text: string): string {
  return JSON.stringify(text)
}
