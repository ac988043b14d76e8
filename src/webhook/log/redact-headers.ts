import type { IncomingHttpHeaders } from 'node:http'

const concealed = '****'

/** Names of headers that carry a secret, or look as if they do: one too many costs nothing, one too few leaks it. */
const secretName =
  /auth|cookie|key|token|secret|passw|credential|session|jwt|hmac|csrf|xsrf|signature|(?:^|[-_])(?:sig|sign)(?:$|[-_])/

/** An address, whose user, password and query may be secret. */
const address = /^(?:[a-z][a-z0-9+.-]*:\/\/|\/)\S*$/i

/**
 * The headers of a request as they may be kept: names in lower case, values of secrets `****`; an address without user,
 * password and query.
 */
export function redactHeaders(
  headers: IncomingHttpHeaders,
  secretHeader: string | undefined,
): Record<string, string> {
  const wanted = secretHeader?.toLowerCase()
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = Array.isArray(value) ? value.join(', ') : value
      const secret = name === wanted || secretName.test(name) || /^(?:bearer|basic|digest)\s/i.test(text)
      return [[name, secret ? concealed : withoutSecrets(text)]]
    }),
  )
}

function withoutSecrets(value: string): string {
  if (!address.test(value)) return value
  return value.replace(/\/\/[^/?#]*@/, '//').replace(/[?#].*$/, match => `${match[0]}${concealed}`)
}
