import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser sends a request for a page of another origin: a page on the internet must not act on what listens on loopback. What no
 * browser sends has neither header.
 */
export function isFromOtherPage(headers: IncomingHttpHeaders): boolean {
  const { host = '', origin } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return true
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
