import type * as z from 'zod/mini'
import type { CallyardError } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'
import type { ReceivedDelivery, Rejection } from '../conversation/index.ts'
import type { Claim } from '../forward/index.ts'
import type { sourceEventSchemas } from './event-schemas.ts'

export type DeliveryResult =
  /**
   * Recorded, or accepted once `durable` resolves; if it rejects, the delivery is to be repeated. `show` is called once the sender knows.
   */
  | { readonly kind: 'accepted'; readonly durable?: Promise<void>; show(): void }
  /** The reader is behind: to be delivered again later. */
  | { readonly kind: 'busy'; readonly reason: string }
  /** Never to be delivered again. */
  | { readonly kind: 'malformed'; readonly rejection: Rejection }

export interface EventSink {
  /** Records the events of a delivery before it returns, or before `durable` resolves. Does not throw. */
  accept(delivery: ReceivedDelivery): DeliveryResult
  /** Called for a delivery that was not taken, by the source itself or by `accept`. Does not throw. */
  onRefused(refusal: Rejection): void
}

/** Something about a source that a person should know. */
export type SourceEvent = Immutable<z.infer<(typeof sourceEventSchemas)[number]>>

export interface TailSink extends EventSink {
  /** With a claim, nothing is stored elsewhere: a delivery that is not done is delivered again. */
  accept(delivery: ReceivedDelivery, claim?: Claim): DeliveryResult
  /** Learns what an earlier process has taken already, without any effect. */
  remember(delivery: ReceivedDelivery): void
  /** Forgets the calls of a delivery, because their last events were not handled and come again. */
  forget(delivery: ReceivedDelivery): void
  onEvent(event: SourceEvent): void
  /** The source cannot continue. The events end with this error. */
  onFailed(error: CallyardError): void
}

export interface RunningSource {
  /** URL that events are sent to, or source that they come from. */
  readonly address: string
  /** Stops taking deliveries. Resolves once those in progress have ended. */
  close(): Promise<void>
}

export interface EventSource<
  Running extends RunningSource = RunningSource,
  Sink extends EventSink = EventSink,
> {
  /** Hands every delivery to the sink, and acknowledges it once the sink has accepted it. */
  start(sink: Sink): Promise<Running>
}
