import type { Message } from '../engine/call-state.ts'
import type { StoredCall } from '../records/store.ts'
import type { WebhookMessage } from '../webhooks/delivery.ts'

interface Subject {
  readonly call: StoredCall
  /** The assistant's record, interface.md 2.1. */
  readonly assistant: Readonly<Record<string, unknown>>
}

/** interface.md 6: the call status changed. The last one carries the analysis. */
export function statusUpdate({ call, assistant }: Subject): WebhookMessage {
  return {
    type: 'status-update',
    last: statuses[call.status].status === 'finished',
    body: () => ({
      message: {
        type: 'status-update',
        call: webhookCall(call),
        assistant,
        customer: call.customer,
        ...(call.analysis === undefined ? {} : { analysis: call.analysis }),
      },
    }),
  }
}

/** interface.md 6: the conversation gained messages; all of them so far, asked for when the webhook is sent. */
export function conversationUpdate(
  { call }: Pick<Subject, 'call'>,
  messages: () => readonly ReturnType<typeof toWebhookMessage>[],
): WebhookMessage {
  return {
    type: 'conversation-update',
    body: () => ({
      message: {
        type: 'conversation-update',
        call: webhookCall(call),
        customer: call.customer,
        messages: messages(),
      },
    }),
  }
}

export function toWebhookMessage({ messageId, role, text, at }: Message) {
  return { messageId, role, text, timestamp: new Date(at).toISOString() }
}

/**
 * `finished` is the record's `completed` (interface.md 3). Of phoneCallStatus only `ringing` is published: the others are telephony's.
 * A line that drops was connected: it is `completed`, as carriers say `failed` of a call that never was.
 */
const statuses = {
  queued: { status: 'queued', phoneCallStatus: 'ringing' },
  ongoing: { status: 'ongoing', phoneCallStatus: 'in-progress' },
  completed: { status: 'finished', phoneCallStatus: 'completed' },
  forwarded: { status: 'finished', phoneCallStatus: 'completed' },
} as const

/** interface.md 2.9. callType is `web`, the one published value; a sandbox call goes over no phone line. */
export function webhookCall(call: StoredCall) {
  const { from, to } = call.phoneVendorDetails
  const outbound = call.direction === 'outbound'
  return {
    id: call.id,
    teamId: call.teamId,
    assistantId: call.assistantId,
    callType: 'web',
    direction: call.direction,
    startAt: call.startAt,
    endAt: call.endAt,
    userNumber: outbound ? to : from,
    assistantNumber: outbound ? from : to,
    ...statuses[call.status],
    ...(call.phoneCallStatus === undefined ? {} : { phoneCallStatus: call.phoneCallStatus }),
    callEndTriggerBy: call.callEndTriggerBy,
    monitor: call.monitor,
    analysis: call.analysis,
  }
}
