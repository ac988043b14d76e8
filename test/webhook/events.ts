import type { WebhookEvent } from '../../src/interface/webhook.ts'

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
