import { isObject } from '../lib/json.ts'
import type { SentWebhook } from '../sandbox/index.ts'
import type { JsonObject } from './public-types.ts'

/** The webhooks of a world's calls. */
export interface WebhookLog {
  readonly add: (webhook: SentWebhook) => void
  of(callId: string): readonly JsonObject[]
  /** Resolves when those of a call so far were handed over. */
  sent(callId: string): Promise<void>
  clear(): void
}

/** Calls: of older ones nothing is kept. */
const maxCalls = 1000

export function createWebhookLog(): WebhookLog {
  const calls = new Map<string, { readonly events: JsonObject[]; sent: Promise<void> }>()
  return {
    add({ callId, body, sent }) {
      const call = calls.get(callId) ?? { events: [], sent }
      if (isObject(body)) call.events.push(body)
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
