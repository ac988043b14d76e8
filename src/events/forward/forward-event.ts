import type * as z from 'zod/mini'
import { CallyardError } from '../../lib/error.ts'
import { digest } from '../../lib/hash.ts'
import type { Immutable } from '../../lib/json.ts'
import { isLoopbackName, withoutQuery } from '../../lib/net/address.ts'
import type { forwardFailureSchema, forwardRetrySchema, forwardTotalsSchema } from './forward-schemas.ts'

/** Events of forwarding to report to the user. Targets are identified by their URL without its query. */
export type ForwardEvent =
  | ForwardFailure
  | ForwardRetry
  /** It refuses connections; what is for it waits. */
  | { readonly kind: 'forward-down'; readonly target: string }
  | { readonly kind: 'forward-up'; readonly target: string; readonly waiting: number }
  /** Left by an earlier process. */
  | {
      readonly kind: 'forward-left'
      readonly target: string
      readonly type: string | null
      readonly events: number
      readonly resumed: boolean
    }
  | { readonly kind: 'forward-unreadable'; readonly path: string }
  /** Events wait in memory alone. */
  | {
      readonly kind: 'forward-unkept'
      readonly target: string
      readonly since: string
      readonly reason: string
    }
  | { readonly kind: 'forward-kept-again'; readonly target: string }
  /** Events are accepted that the target will not get: too much waits already, or the disk fails and memory is full. */
  | {
      readonly kind: 'forward-dropped'
      readonly target: string
      readonly since: string
      readonly why: 'full' | 'disk'
    }
  /** Another process took over the waiting events, because this one was suspended for so long that it seemed dead. */
  | { readonly kind: 'forward-taken' }

/** A delivery failed (no 2xx response) and is not retried. */
export type ForwardFailure = Immutable<z.infer<typeof forwardFailureSchema>>

/** A delivery failed and is retried. */
export type ForwardRetry = Immutable<z.infer<typeof forwardRetrySchema>>

export type ForwardTotals = Immutable<z.infer<typeof forwardTotalsSchema>>

/** A webhook receiver that events are passed on to. */
export interface ForwardTarget {
  /** http or https. */
  readonly url: string
  /** The type of the events that it gets; undefined for all. */
  readonly type: string | undefined
  /** Sent with each event; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** The targets that get events of this type. */
export function selectTargets<Target extends { readonly type: string | undefined }>(
  type: string,
  targets: readonly Target[],
): Target[] {
  return targets.filter(target => target.type === undefined || target.type === type)
}

/** Tells targets apart, also from one run to the next; shows nothing of a secret in the address. */
export function getTargetKey({
  type = '',
  url,
}: {
  readonly type: string | undefined
  readonly url: string
}): string {
  return digest(`${type} ${url}`)
}

/**
 * A listener that forwards to itself would do so without end.
 * @throws CallyardError `usage`.
 */
export function assertForwardsElsewhere(
  targets: readonly ForwardTarget[],
  listener: { readonly host: string; readonly port: number },
): void {
  for (const { url } of targets) {
    const { protocol, hostname, port } = new URL(url)
    const isOurPort = Number(port || (protocol === 'https:' ? 443 : 80)) === listener.port
    if (isOurPort && (isLoopbackName(hostname) || hostname === listener.host))
      throw forwardsToItself(withoutQuery(url))
  }
}

const forwardsToItself = (target: string) =>
  new CallyardError('usage', `${target} is this listener itself`, {
    code: 'forwards-to-itself',
    hint: 'use the URL of your server',
    details: { target },
  })
