import type { WebhookEvent } from './webhook.ts'

/**
 * Whether a parsed body is an event of interface.md section 6: says exactly what `webhookEventSchema` says (a property
 * test holds the two together), written by hand because a full parse of every item costs more than the rest of a
 * request. It also keeps zod out of the receiver.
 */
export function isWebhookEvent(value: unknown): value is WebhookEvent {
  if (!isObject(value) || !isObject(value.message)) return false
  const { type, call, assistant, customer, analysis, messages } = value.message
  return (
    typeof type === 'string' &&
    isAbsentOr(isCall, call) &&
    isAbsentOr(isObject, assistant) &&
    isAbsentOr(isCustomer, customer) &&
    isAbsentOr(isObject, analysis) &&
    isAbsentOr(Array.isArray, messages)
  )
}

function isCall(value: unknown): boolean {
  return isObject(value) && typeof value.id === 'string' && isAbsentOr(isString, value.status)
}

function isCustomer(value: unknown): boolean {
  return isObject(value) && isAbsentOr(isString, value.number) && isAbsentOr(isString, value.name)
}

function isAbsentOr(check: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || value === null || check(value)
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
