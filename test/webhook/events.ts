import * as z from 'zod/mini'

/** interface.md 6: the envelope. Types and fields that we do not know are accepted and passed through. */
export const webhookEventSchema = z.looseObject({
  message: z.looseObject({
    type: z.string(),
    call: z.nullish(z.looseObject({ id: z.string(), status: z.nullish(z.string()) })),
    assistant: z.nullish(z.looseObject({})),
    customer: z.nullish(z.looseObject({ number: z.nullish(z.string()), name: z.nullish(z.string()) })),
    analysis: z.nullish(z.looseObject({})),
    messages: z.nullish(z.array(z.unknown())),
  }),
})
export type WebhookEvent = z.infer<typeof webhookEventSchema>

export interface SampleMessage {
  readonly messageId: string
  readonly role: string
  readonly text: string
  readonly timestamp?: string
}

export function message(messageId: string, text: string, role = 'user'): SampleMessage {
  return { messageId, role, text, timestamp: '2026-03-01T10:00:00.000Z' }
}

export function conversationUpdate(callId: string | undefined, ...messages: unknown[]): WebhookEvent {
  return {
    message: {
      type: 'conversation-update',
      ...(callId === undefined ? {} : { call: { id: callId } }),
      messages,
    },
  }
}

export function statusUpdate(
  callId: string,
  status: string,
  more: Record<string, unknown> = {},
): WebhookEvent {
  const { analysis, ...call } = more
  return {
    message: {
      type: 'status-update',
      call: { id: callId, status, ...call },
      ...(analysis === undefined ? {} : { analysis: { ...(analysis as object) } }),
    },
  }
}
