import type { IncomingHttpHeaders } from 'node:http'
import { getErrorCode, getErrorReason } from '../error.ts'

/** Converts header names to lower case, so that none is sent twice. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** `Basic …` for the user name and password of a URL; undefined where it has neither. A lone percent sign is one. */
export function basicLogin({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const login = Buffer.from(`${decodePart(username)}:${decodePart(password)}`)
  return `Basic ${login.toString('base64')}`
}

/** Text of a user name or a password in a URL. A lone percent sign is one. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reasons for codes that mean that no connection was made. */
const unreachableReasons = {
  EADDRNOTAVAIL: 'this machine has no port left for a connection',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNREFUSED: 'connection refused',
  EHOSTDOWN: 'the host cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
  EMFILE: 'this process has too many files and connections open',
  ENETDOWN: 'the network is down',
  ENETUNREACH: 'the network cannot be reached',
  ENFILE: 'this machine has too many files and connections open',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'connection timed out',
}

const reasons: Readonly<Record<string, string>> = {
  ...unreachableReasons,
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  HPE_HEADER_OVERFLOW: 'the response headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
}

/** Reason for a missing or incomplete response, without secrets; undefined for an error that is none of the network. */
export function networkReason(error: unknown): string | undefined {
  const code = getErrorCode(error)
  if (code === undefined) return undefined
  if (Object.hasOwn(reasons, code)) return reasons[code]
  if (code === 'ERR_PROXY_TUNNEL') return getErrorReason(error)
  if (code.startsWith('HPE_')) return 'the response is not HTTP'
  if (isCertificateError(code)) return `the certificate is not trusted (${code})`
  return /^(EPROTO$|ERR_SSL)/.test(code) ? 'the server does not speak TLS' : undefined
}

/** True for an error that is the same in every further attempt: with this certificate, protocol or proxy. */
export function isLasting(code: string | undefined): boolean {
  return (
    isCertificateError(code) || (code !== undefined && /^(HPE_|EPROTO$|ERR_SSL|ERR_PROXY_TUNNEL$)/.test(code))
  )
}

/** True for a certificate that is not trusted. */
export function isCertificateError(code: string | undefined): boolean {
  return code !== undefined && /CERT|^ERR_TLS|^UNABLE_TO_|^CRL_|^HOSTNAME_MISMATCH/.test(code)
}

export const certificateHint =
  'for a certificate authority of your own, or a proxy that inspects TLS, set NODE_EXTRA_CA_CERTS to the file of its certificate'

/** True if no connection could be made, so that nothing was sent and a later attempt may succeed. */
export function isUnreachable(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(unreachableReasons, code)
}

/**
 * True if a browser sends the request for a page of another origin. A page on the internet must not control a listener on loopback.
 * Requests that are not from browsers have neither header.
 */
export function isFromOtherPage(headers: IncomingHttpHeaders): boolean {
  const { host = '', origin } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return true
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
