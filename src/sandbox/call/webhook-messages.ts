import type { StoredCall } from '../../files/formats/control-api.ts'
import type { ToolEventType } from '../../interface/words.ts'
import type { Message } from '../engine/call-state.ts'
import type { WebhookMessage } from '../webhooks/faults.ts'

/**
 * interface.md 6: the call status changed. `analysis` is `{}` until the call is analyzed; `failures` are those of the analysis, if there
 * are any. `assistant` is the assistant's record (interface.md 2.1).
 */
export function statusUpdate(call: StoredCall, assistant: Readonly<Record<string, unknown>>): WebhookMessage {
  const failures = call.failures?.filter(({ part }) => part === 'analysis') ?? []
  const body = () => ({
    message: {
      type: 'status-update',
      call: webhookCall(call),
      assistant,
      customer: call.customer,
      analysis: call.analysis ?? {},
      ...(failures.length === 0 ? {} : { failures }),
    },
  })
  return {
    type: 'status-update',
    last: statuses[call.status].status === 'finished',
    body,
    json: () => JSON.stringify(body()),
  }
}

/** An event about a tool that the assistant uses; its fields are those of a request to the tool's server, with times and the result. */
export function toolEvent(
  type: ToolEventType,
  call: StoredCall,
  toolCall: Readonly<Record<string, unknown>>,
): WebhookMessage {
  const body = () => ({ message: { type, call: webhookCall(call), customer: call.customer, toolCall } })
  return { type, onRequest: true, body, json: () => JSON.stringify(body()) }
}

/**
 * Collects the messages of a call for its webhooks, each of which has all messages so far. Each message is serialized once; otherwise a
 * long call would cost the square of its length.
 */
export function createMessageLog() {
  const wireMessages: SaidMessage[] = []
  let json = ''
  const bodyWith = (call: StoredCall, messages: readonly unknown[]) => ({
    message: { type: 'conversation-update', call: webhookCall(call), customer: call.customer, messages },
  })
  /** The body before `messages`; constant while the call record is. */
  let beginning: { readonly call: StoredCall; readonly text: string } | undefined
  const beginningOf = (call: StoredCall) => {
    if (beginning?.call !== call)
      beginning = { call, text: JSON.stringify(bodyWith(call, [])).slice(0, -']}}'.length) }
    return beginning.text
  }
  return {
    /** interface.md 6: the conversation gained this message; the webhook has all of them so far. */
    add(message: Message, call: StoredCall): WebhookMessage {
      const count = wireMessages.push(toWebhookMessage(message))
      json += `${json && ','}${JSON.stringify(wireMessages.at(-1))}`
      const soFar = json
      return {
        type: 'conversation-update',
        body: () => bodyWith(call, wireMessages.slice(0, count)),
        json: () => `${beginningOf(call)}${soFar}]}}`,
      }
    },
  }
}

type SaidMessage = ReturnType<typeof toWebhookMessage>

export function toWebhookMessage({ messageId, role, text, at }: Message) {
  return { messageId, role, text, timestamp: new Date(at).toISOString() }
}

/**
 * `finished` is the record's `completed` (interface.md 3), and of a forwarded call too: only phoneCallStatus tells it. Of its values only
 * `ringing` is published: the others are telephony's.
 * A line that drops was connected: it is `completed`, as carriers say `failed` of a call that never was.
 */
const statuses = {
  queued: { status: 'queued', phoneCallStatus: 'ringing' },
  ongoing: { status: 'ongoing', phoneCallStatus: 'in-progress' },
  completed: { status: 'finished', phoneCallStatus: 'completed' },
  forwarded: { status: 'finished', phoneCallStatus: 'forwarded' },
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
