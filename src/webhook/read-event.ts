import type { WebhookEvent } from '../interface/webhook.ts'
import { isWebhookEvent } from '../interface/webhook-envelope.ts'

/** The event of a body that was kept; undefined where somebody made something else of it. */
export function readEvent(body: string): WebhookEvent | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isWebhookEvent(value) ? value : undefined
  } catch {
    return undefined
  }
}
