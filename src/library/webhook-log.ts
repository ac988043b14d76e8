import { isObject } from '../lib/json.ts'
import type { SentWebhook } from '../sandbox/index.ts'
import type { WebhookEvent } from './resources.ts'

/** The webhooks of a world's calls. */
export interface WebhookLog {
  readonly add: (webhook: SentWebhook) => void
  of(callId: string): readonly WebhookEvent[]
  /** Resolves when those of a call so far were handed over. */
  sent(callId: string): Promise<void>
  clear(): void
}

/** Calls: of older ones nothing is kept. */
const maxCalls = 1000

export function createWebhookLog(): WebhookLog {
  const calls = new Map<string, { readonly events: WebhookEvent[]; sent: Promise<void> }>()
  return {
    add({ callId, body, sent }) {
      const call = calls.get(callId) ?? { events: [], sent }
      if (isEvent(body)) call.events.push(body)
      call.sent = sent
      calls.set(callId, call)
      const [oldest] = calls.keys()
      if (calls.size > maxCalls && oldest !== undefined) calls.delete(oldest)
    },
    of: callId => calls.get(callId)?.events ?? [],
    sent: async callId => calls.get(callId)?.sent,
    clear: () => calls.clear(),
  }
}

/** The sandbox sends nothing else. */
function isEvent(body: unknown): body is WebhookEvent {
  return isObject(body) && isObject(body.message)
}
