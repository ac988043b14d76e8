import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { MiddlewareHandler } from 'hono'
import { isLoopbackName } from '../../lib/net/address.ts'
import { isFromOtherPage } from '../../lib/net/http.ts'
import { Problem } from '../records/problem.ts'
import type { SandboxServer } from './route-table.ts'

interface GuardOptions {
  /** Name that requests may be addressed to, besides loopback and any address. */
  readonly host: string
  /** True if a request may be addressed to any name, because a secret of it proves that no web page sent it. */
  isTrusted?(request: IncomingMessage): boolean
}

/**
 * Keeps out what web pages of others send: pages on the internet reach loopback, by its address or by a name of theirs that was rebound to it.
 * @throws Problem 403
 */
export function guard({ host, isTrusted = () => false }: GuardOptions): MiddlewareHandler<SandboxServer> {
  return async ({ env: { incoming } }, next) => {
    if (isFromOtherPage(incoming.headers))
      throw new Problem(403, 'requests from other web pages are not allowed')
    const address = `http://${incoming.headers.host}`
    const { hostname } = URL.canParse(address) ? new URL(address) : { hostname: '' }
    if (hostname !== host && !isLoopbackName(hostname) && !isAddress(hostname) && !isTrusted(incoming)) {
      throw new Problem(403, `the Host ${JSON.stringify(hostname)} is not this sandbox`, {
        hint: 'send the request to 127.0.0.1 or localhost',
      })
    }
    await next()
  }
}

/** A name can be rebound to this machine; an address cannot. */
function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0
}
