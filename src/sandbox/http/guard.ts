import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { MiddlewareHandler } from 'hono'
import { isLoopbackName } from '../../lib/net/address.ts'
import { isFromOtherPage } from '../../lib/net/http.ts'
import { Problem } from '../records/problem.ts'
import type { SandboxServer } from './route-table.ts'

interface GuardOptions {
  /** Host name allowed in requests, besides loopback and IP addresses. */
  readonly host: string
  /** True if a request may use any host name, because its secret proves that no web page sent it. */
  isTrusted?(request: IncomingMessage): boolean
}

/** Rejects requests of other web pages, which can reach loopback by its address or through DNS rebinding. @throws Problem 403 */
export function guard({ host, isTrusted = () => false }: GuardOptions): MiddlewareHandler<SandboxServer> {
  return async ({ env: { incoming } }, next) => {
    if (isFromOtherPage(incoming.headers))
      throw new Problem(403, 'requests from other web pages are not allowed')
    const address = `http://${incoming.headers.host}`
    const { hostname } = URL.canParse(address) ? new URL(address) : { hostname: '' }
    // DNS rebinding needs a name, so IP addresses are safe.
    const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
    if (hostname !== host && !isLoopbackName(hostname) && !isAddress && !isTrusted(incoming)) {
      throw new Problem(403, `the Host ${JSON.stringify(hostname)} is not this sandbox`, {
        hint: 'send the request to 127.0.0.1 or localhost',
      })
    }
    await next()
  }
}
