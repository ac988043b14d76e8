/** A number from 0 up to 1, without 1 itself, that depends on the seed and these words alone. */
export type SeededRandom = (...what: readonly (string | number)[]) => number

/** `--fault`: the faults of a webhook on its way, each with its probability from 0 to 1. */
export const webhookFaultNames = ['duplicate', 'reorder', 'delay', 'drop', 'disconnect'] as const
export type WebhookFaultName = (typeof webhookFaultNames)[number]
export type WebhookFaults = Readonly<Partial<Record<WebhookFaultName, number>>>

/** What is to become of one message. */
export interface WebhookPlan {
  /** Never sent; it gets no other fault. */
  readonly drop: boolean
  /** Changes places with the message after it. */
  readonly reorder: boolean
  /** The part of the longest delay, from 0 to 1, that it waits before it is sent. */
  readonly delay: number | undefined
  /** `cut`: the connection is broken in the middle of the body, and it is not sent again. */
  readonly sending: 'once' | 'twice' | 'cut'
}

/**
 * The faults of the message with this place in its call, counted from 0. Depends on nothing else, so the same seed and
 * call bring the same faults. A drop wins over everything, a disconnect over a duplicate.
 */
export function planOf(
  faults: WebhookFaults,
  random: SeededRandom,
  { callId, index }: { readonly callId: string; readonly index: number },
): WebhookPlan {
  const applies = (name: WebhookFaultName) => random('webhook', callId, index, name) < (faults[name] ?? 0)
  if (applies('drop')) return { drop: true, reorder: false, delay: undefined, sending: 'once' }
  return {
    drop: false,
    reorder: applies('reorder'),
    delay: applies('delay') ? random('webhook', callId, index, 'length of the delay') : undefined,
    sending: applies('disconnect') ? 'cut' : applies('duplicate') ? 'twice' : 'once',
  }
}

interface Planned {
  readonly plan: WebhookPlan
  /** No message of the call follows it. */
  readonly last: boolean
}

interface Reordered<Message> {
  /** Waits for the message after it. */
  readonly held: Message | undefined
  /** Sent now, in this order. */
  readonly leaving: readonly Message[]
}

/**
 * Which messages leave when it is the turn of this one, and which waits. One message waits at most: a reordered message
 * waits for the next one that is sent, and that one does not wait too. The last one of a call has nobody to wait for, and
 * sets free what still waits.
 */
export function reorder<Message extends Planned>(
  held: Message | undefined,
  message: Message,
): Reordered<Message> {
  const { plan, last } = message
  if (plan.reorder && held === undefined && !last) return { held: message, leaving: [] }
  if (plan.drop && !last) return { held, leaving: [] }
  const leaving = [...(plan.drop ? [] : [message]), ...(held === undefined ? [] : [held])]
  return { held: undefined, leaving }
}

/** `--fault-http`: the faults of a request to the API, each with its probability from 0 to 1. */
export const httpFaultNames = ['429', '500', 'hang', 'reset'] as const
export type HttpFaultName = (typeof httpFaultNames)[number]
export type HttpFaults = Readonly<Partial<Record<HttpFaultName, number>>>

/** The faults of the request with this number, counted from 0; where several would, the first in the order above. */
export function httpFaultOf(
  faults: HttpFaults,
  random: SeededRandom,
  ordinal: number,
): HttpFaultName | undefined {
  return httpFaultNames.find(name => random('http', ordinal, name) < (faults[name] ?? 0))
}
