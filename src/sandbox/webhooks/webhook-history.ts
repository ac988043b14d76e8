import type {
  WebhookFilter,
  WebhookHead,
  WebhookRecord,
  WebhookSummary,
} from '../../files/formats/control-api.ts'
import { parseJson } from '../../lib/json.ts'

export type WebhookHistory = ReturnType<typeof createWebhookHistory>
/** A webhook on its way. */
export interface OpenWebhook {
  struckBy(fault: string): void
  responded(json: string, outcome: WebhookOutcome, milliseconds: number): void
}

type WebhookOutcome = { readonly status: number } | { readonly reason: string }

type Kept = { -readonly [Field in keyof WebhookSummary]: WebhookSummary[Field] } & {
  /** JSON; undefined until it is sent. */
  json?: string
}

const maxWebhooks = 1000
/** Total size of all bodies. */
const maxKeptBytes = 8 * 1024 * 1024

/** The latest webhooks of a world and what became of them. `onChange` reads the webhook if anybody wants to know. */
export function createWebhookHistory(onChange: (read: () => WebhookSummary) => void) {
  const webhooks = new Map<string, Kept>()
  let total = 0

  const forget = () => {
    for (const [id, { json }] of webhooks) {
      if (webhooks.size <= maxWebhooks && total <= maxKeptBytes) return
      webhooks.delete(id)
      total -= json?.length ?? 0
    }
  }
  return {
    begin(head: WebhookHead): OpenWebhook {
      const webhook: Kept = { id: `${head.call}/${head.number}`, ...head, bytes: 0, sent: 0 }
      webhooks.set(webhook.id, webhook)
      forget()
      // One of a run that a reset ended is not heard of any more.
      const changed = () => {
        if (webhooks.get(webhook.id) === webhook) onChange(() => toSummary(webhook))
      }
      changed()
      return {
        struckBy(fault) {
          webhook.faults = [...(webhook.faults ?? []), fault]
          changed()
        },
        responded(json, outcome, milliseconds) {
          delete webhook.status
          delete webhook.reason
          Object.assign(webhook, outcome, { milliseconds })
          webhook.sent += 1
          webhook.bytes = Buffer.byteLength(json)
          if (webhook.json === undefined && webhooks.get(webhook.id) === webhook) {
            webhook.json = json
            total += json.length
            forget()
          }
          changed()
        },
      }
    },
    /** Lists webhooks, oldest first; with its body if one is requested by id. */
    list: ({ call, id }: WebhookFilter = {}): WebhookRecord[] =>
      [...webhooks.values()]
        .filter(webhook => (call ?? webhook.call) === webhook.call && (id ?? webhook.id) === webhook.id)
        .map(webhook => {
          const summary = toSummary(webhook)
          return id === undefined || webhook.json === undefined
            ? summary
            : { ...summary, body: parseJson(webhook.json) }
        }),
    clear() {
      webhooks.clear()
      total = 0
    },
  }
}

function toSummary({ json: _, ...summary }: Kept): WebhookSummary {
  return { ...summary }
}
