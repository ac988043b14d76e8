import * as z from 'zod/mini'
import { check } from '../../interface/check.ts'
import type { Finding } from '../../interface/finding.ts'
import type { SendTarget } from '../../lib/net/json-sender.ts'

/** The shape of `assistantServer` that the sandbox reads; the interface does not show it. Other keys are ignored. */
export const serverSchema = z.looseObject({
  url: z.optional(z.string()),
  messages: z.optional(z.array(z.string())),
  headers: z.optional(z.record(z.string(), z.string())),
  timeoutSeconds: z.optional(z.number().check(z.positive())),
  enabled: z.optional(z.boolean()),
})

/** Where the webhooks of a call go. */
export interface WebhookTarget extends SendTarget {
  /** Undefined: all types. */
  readonly messages: readonly string[] | undefined
}

const defaultTimeoutSeconds = 10

/**
 * What the sandbox cannot read of `assistantServer`: refused at once, not found out by missing webhooks. That its url is one
 * says the schema of the assistant.
 */
export function checkServer(
  assistant: Readonly<Record<string, unknown>>,
  at: readonly string[] = [],
): Finding[] {
  const schema = at.reduceRight<z.ZodMiniType>(
    (inner, key) => z.looseObject({ [key]: inner }),
    z.looseObject({ assistantServer: z.optional(serverSchema) }),
  )
  const body = at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), assistant)
  return check(schema, body).map(finding => ({ ...finding, hint: finding.hint ?? readFields }))
}

const readFields =
  'the sandbox reads { url, messages: [types], headers: {name: value}, timeoutSeconds, enabled }; leave out what has no value'

/** Undefined: the assistant wants no webhooks. */
export function webhookTarget(server: z.infer<typeof serverSchema> | undefined): WebhookTarget | undefined {
  if (server?.url === undefined || server.enabled === false) return undefined
  return {
    url: server.url,
    messages: server.messages,
    headers: server.headers ?? {},
    timeoutSeconds: server.timeoutSeconds ?? defaultTimeoutSeconds,
  }
}
