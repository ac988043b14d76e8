/** `--fault`: the faults of a webhook on its way. */
export const webhookFaultNames = ['duplicate', 'reorder', 'delay', 'drop', 'disconnect'] as const
export type WebhookFaultName = (typeof webhookFaultNames)[number]
/** Each with its probability from 0 to 1. */
export type WebhookFaults = Readonly<Partial<Record<WebhookFaultName, number>>>

/** `--fault-http`: the faults of a request to the API. */
export const httpFaultNames = ['429', '500', 'hang', 'reset'] as const
export type HttpFaultName = (typeof httpFaultNames)[number]
export type HttpFaults = Readonly<Partial<Record<HttpFaultName, number>>>
