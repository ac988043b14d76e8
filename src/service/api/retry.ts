import type { Clock } from '../../lib/clock.ts'
import { parseRetryAfter } from '../../lib/net/retry-after.ts'
import type { RawResponse } from './api.ts'
import type { Result } from './attempt.ts'
import { isGatewayTimeout, isUnsafe } from './failures.ts'

/** callyard does not wait for a service that asks for more time than this. */
const maxWaitMs = 60_000
const firstBackoffMs = 1_000

/**
 * Returns when to retry; undefined for no retry. Requests that never reached the service are retried; idempotent ones (GET, PUT, PATCH)
 * also after a lost response, a 5xx, 408 or 499; and 429 and 503 with Retry-After always. Nothing else is: a phone may have rung. See
 * docs/decisions/0001-post-with-unknown-outcome.md.
 */
export function planRetry(
  result: Exclude<Result, { unusable: unknown }>,
  method: string,
  { clock, attemptCount }: { clock: Clock; attemptCount: number },
): { readonly wait: number; readonly reason: string; readonly isFromServer?: boolean } | undefined {
  const backoff = firstBackoffMs * 2 ** (attemptCount - 1)
  if (!('answer' in result)) {
    const isRetried = result.passing && (!result.wasSent || isRepeatable(method))
    return isRetried ? { wait: backoff, reason: result.reason } : undefined
  }
  const { status, headers } = result.answer
  const reason = `the service responded ${status}`
  if (status === 429 || status === 503) {
    const retryAfter = parseRetryAfter(headers['retry-after'], clock.now())
    if (retryAfter !== undefined)
      return retryAfter > maxWaitMs ? undefined : { wait: retryAfter, reason, isFromServer: true }
    return isRepeatable(method) ? { wait: backoff, reason } : undefined
  }
  const isPassing = (status >= 500 && status !== 501) || isGatewayTimeout(status)
  return isPassing && isRepeatable(method) ? { wait: backoff, reason } : undefined
}

/** True if a failed attempt may have had an effect, which a later rejected one does not undo. */
export function mayHaveActed({ status, headers }: RawResponse): boolean {
  return (
    isGatewayTimeout(status) || (status >= 500 && !(status === 503 && headers['retry-after'] !== undefined))
  )
}

/** True for idempotent methods, except DELETE, whose second response would be a 404. */
export function isRepeatable(method: string): boolean {
  return !isUnsafe(method) || method === 'PUT' || method === 'PATCH'
}
