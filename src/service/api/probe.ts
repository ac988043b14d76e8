import { CallyardError } from '../../lib/error.ts'
import { chooseProxy } from '../../lib/net/proxy.ts'
import type { RequestContext } from './api.ts'
import { networkHint } from './attempt.ts'
import { joinUrl, parseBaseUrl } from './base-url.ts'
import { openTransport } from './transport.ts'

export interface ServiceProbe {
  /** Environment variable of the proxy, if one is used. */
  readonly proxy: string | undefined
  readonly status: number
  /** Time of the service by its `Date` header, in milliseconds since the epoch. */
  readonly time: number | undefined
}

/**
 * Asks whether a service responds at all, with one GET of its base URL, without a key.
 * @throws CallyardError `usage` for an invalid base URL or proxy, `unreachable` without a response
 */
export async function probeService(
  baseUrl: string,
  { env, signal, clock, timeoutMs }: RequestContext & { readonly timeoutMs: number },
): Promise<ServiceProbe> {
  const base = parseBaseUrl(baseUrl)
  const proxy = chooseProxy(base, env)?.variable
  const transport = await openTransport(base, { env, timeoutMs, clock })
  try {
    const result = await transport.send({
      method: 'GET',
      url: joinUrl(base, '/'),
      headers: { accept: 'application/json', 'user-agent': 'callyard' },
      signal,
    })
    if ('reason' in result)
      throw new CallyardError('unreachable', result.reason, {
        hint: networkHint(result),
        cause: result.cause,
      })
    const time = 'unusable' in result ? Number.NaN : Date.parse(result.headers.date ?? '')
    return { proxy, status: result.status, time: Number.isNaN(time) ? undefined : time }
  } finally {
    await transport.close()
  }
}
