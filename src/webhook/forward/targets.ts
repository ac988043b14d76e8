import { digest } from '../../lib/hash.ts'

/** Somebody's webhook receiver that events are passed on to. */
export interface ForwardTarget {
  /** http or https. */
  readonly url: string
  /** The type of the events that it gets; undefined for all. */
  readonly type: string | undefined
  /** Sent with each event; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** The targets that get events of this type. */
export function targetsOf<Target extends Pick<ForwardTarget, 'type'>>(
  type: string,
  targets: readonly Target[],
): Target[] {
  return targets.filter(target => target.type === undefined || target.type === type)
}

/** Tells targets apart, also from one run to the next; shows nothing of a secret in the address. */
export function keyOf({ type = '', url }: Pick<ForwardTarget, 'type' | 'url'>): string {
  return digest(`${type} ${url}`)
}
