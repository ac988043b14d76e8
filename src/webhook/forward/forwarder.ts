import type { WebhookEvent } from '../../interface/webhook.ts'
import type { Refusal } from '../gate.ts'
import type { Delivery } from '../receiver.ts'

/** An event that will go to its targets, whatever becomes of this process. */
export interface KeptEvent {
  /** Queues it; `isNew` tells whether it carried something unseen. Never throws. */
  send(isNew: boolean): void
}

export interface Forwarder {
  /** Keeps an event on disk; why it cannot be kept otherwise. Never throws. */
  keep(event: WebhookEvent, delivery: Delivery): KeptEvent | Refusal
}
