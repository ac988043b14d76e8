import * as z from 'zod/mini'
import type { Finding } from '../../errors.ts'
import type { OutboundTarget } from '../outbound.ts'
import { refusal } from '../problem.ts'

/** The shape of `assistantServer` that the sandbox reads; the interface does not show it. Other keys are ignored. */
export const serverSchema = z.looseObject({
  url: z.optional(z.string()),
  messages: z.optional(z.array(z.string())),
  headers: z.optional(z.record(z.string(), z.string())),
  timeoutSeconds: z.optional(z.number().check(z.positive())),
  enabled: z.optional(z.boolean()),
})

/** Where the webhooks of a call go. */
export interface WebhookTarget extends OutboundTarget {
  /** Undefined: all types. */
  readonly messages: readonly string[] | undefined
}

const standardTimeoutSeconds = 10

/** What the sandbox could not read of `assistantServer`: refused at once, not found out by missing webhooks. */
export function checkServer(
  assistant: Readonly<Record<string, unknown>>,
  at: readonly string[] = [],
): Finding[] {
  const path = [...at, 'assistantServer']
  const server = z.optional(serverSchema).safeParse(assistant.assistantServer)
  if (!server.success) {
    return server.error.issues.map(issue => {
      const where = [...path, ...issue.path.map(part => (typeof part === 'number' ? part : String(part)))]
      return refusal(
        where,
        'wrong-type',
        `${where.join('.')} cannot be read by the sandbox: ${issue.message}`,
        'the sandbox reads { url, messages: [types], headers: {name: value}, timeoutSeconds, enabled }',
      )
    })
  }
  const url = server.data?.url
  if (url === undefined || isHttp(url)) return []
  return [
    refusal(
      [...path, 'url'],
      'wrong-format',
      'assistantServer.url is not an http:// or https:// URL',
      'for example http://127.0.0.1:4011/, where callwright webhook tail listens',
    ),
  ]
}

/** Undefined: the assistant wants no webhooks. */
export function webhookTarget(server: z.infer<typeof serverSchema> | undefined): WebhookTarget | undefined {
  if (server?.url === undefined || server.enabled === false) return undefined
  return {
    url: server.url,
    messages: server.messages,
    headers: server.headers ?? {},
    timeoutSeconds: server.timeoutSeconds ?? standardTimeoutSeconds,
  }
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
