import { loadTriggerEvents } from '../../src/events/trigger/index.ts'
import type { WebhookType } from '../../src/interface/webhooks.ts'
import type { WebhookEvent } from './events.ts'

const { eventsToTrigger } = await loadTriggerEvents()

const now = Date.UTC(2026, 2, 1, 10)

/** Events of `webhook trigger call`. The call ends at 2026-03-01T10:00:00Z. */
export function triggeredCall(messages = 2, id = 'CC-1'): WebhookEvent[] {
  return eventsToTrigger('call', { call: id, messages, now }).map(({ event }) => event as WebhookEvent)
}

/** Event of `webhook trigger` with this type. */
export function triggeredEvent(type: WebhookType): unknown {
  return eventsToTrigger(type, { call: 'CC-1', messages: 2, now })[0]?.event
}

/** Events of `webhook trigger odd` with their shapes. The ids of their calls start with `id`. */
export function triggeredOddEvents(id: string) {
  return eventsToTrigger('odd', { call: id, now })
}
