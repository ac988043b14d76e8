import type { ReceivedDelivery, Rejection } from '../conversation/index.ts'

/** The result of a delivery. */
export type Taken =
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
  take(delivery: ReceivedDelivery): Taken
  /** Called for a delivery that was not taken, by the source itself or by `take`. Does not throw. */
  onRefused(refusal: Rejection): void
}

export interface RunningSource {
  /** URL that events are sent to, or source that they come from. */
  readonly address: string
  /** Stops taking deliveries. Resolves once those in progress have ended. */
  close(): Promise<void>
}

export interface EventSource<Running extends RunningSource = RunningSource> {
  /** Hands every delivery to the sink, and acknowledges it once the sink has accepted it. */
  start(sink: EventSink): Promise<Running>
}
