import { CallyardError } from '../../lib/error.ts'
import { chooseProxy } from '../../lib/net/proxy.ts'
import type { RequestContext } from './api.ts'
import { networkHint } from './attempt.ts'
import { parseBaseUrl } from './base-url.ts'
import { getBase } from './transport.ts'

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
  context: RequestContext & { readonly timeoutMs: number },
): Promise<ServiceProbe> {
  const base = parseBaseUrl(baseUrl)
  const proxy = chooseProxy(base, context.env)?.variable
  const result = await getBase(base, context)
  if ('reason' in result)
    throw new CallyardError('unreachable', result.reason, { hint: networkHint(result), cause: result.cause })
  const time = 'unusable' in result ? Number.NaN : Date.parse(result.headers.date ?? '')
  return { proxy, status: result.status, time: Number.isNaN(time) ? undefined : time }
}
