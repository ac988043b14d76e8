import { getOutcome } from '../../../events/conversation/read-outcome.ts'
import { callFacts, formatSuccess } from '../../../events/transcript/call-words.ts'
import type { CallView, WebhookSummary } from '../../../files/formats/control-api.ts'
import { readDateTime } from '../../../lib/text/date-time.ts'
import type { CallDetail, CallSummary, PageMessage, ShownEvent } from '../../wire.ts'
import type { CallActivity, SelectedCall } from '../page-model.ts'

interface ToolCall {
  readonly name: string
  readonly failure?: unknown
  readonly simulated?: unknown
  readonly startedAt?: unknown
  readonly endedAt?: unknown
}

type Activity = Omit<CallActivity, 'number'>

export function toolActivity(call: ToolCall): Activity {
  const { name, failure, simulated, startedAt, endedAt } = call
  const state = failure !== undefined ? 'failed' : simulated === true ? 'simulated' : 'done'
  return { title: name, kind: 'tool', state, value: call, from: timeOf(startedAt), until: timeOf(endedAt) }
}

export function failureActivity({
  part,
  message,
  failedAt,
}: NonNullable<CallView['failures']>[number]): Activity {
  const from = timeOf(failedAt)
  return { title: part, kind: 'failure', state: 'failed', value: message, from, until: from }
}

function timeOf(value: unknown): number | undefined {
  return typeof value === 'string' ? readDateTime(value) : undefined
}

/** Sorted by time. */
export function listActivities({ toolCalls = [], failures = [] }: CallView): CallActivity[] {
  return [...toolCalls.map(toolActivity), ...failures.map(failureActivity)]
    .sort((one, other) => (one.from ?? 0) - (other.from ?? 0))
    .map((activity, index) => ({ number: index + 1, ...activity }))
}

type StoredMessage = NonNullable<CallView['messages']>[number]

export function toPageMessage(
  message: Omit<StoredMessage, 'timestamp'> & { timestamp?: string },
  index: number,
): PageMessage {
  const { messageId, role, text, timestamp = null, interrupted } = message
  return {
    index,
    messageId,
    role,
    text: interrupted === true ? `${text} –` : text,
    cut: 0,
    timestamp,
    edited: false,
    ...(interrupted === true && { interrupted }),
  }
}

export function listStatuses(record: CallView): CallDetail['statuses'][number][] {
  const { createdAt, startAt, endAt, status, phoneCallStatus = null } = record
  const steps: [status: string, at: string | undefined][] = [
    ['queued', createdAt],
    ['ongoing', startAt],
    [status, endAt],
  ]
  const knownSteps = steps.flatMap(([word, at]) => (at === undefined ? [] : [{ status: word, at }]))
  return knownSteps.map((step, index) => ({
    ...step,
    phoneCallStatus: index === knownSteps.length - 1 ? phoneCallStatus : null,
  }))
}

/** The numbers of the assistant and of the user, whichever of the two placed the call. */
export function formatNumbers({ direction, phoneVendorDetails: { from, to }, customer }: CallView) {
  return { assistantNumber: direction === 'outbound' ? from : to, userNumber: customer.number }
}

export function describeCall(record: CallView, { statuses, messages }: SelectedCall): CallDetail['facts'] {
  const { customer, direction, endAt = null } = record
  const facts = callFacts({
    ...formatNumbers(record),
    direction,
    callType: null,
    customerName: customer.name ?? null,
    assistantId: record.assistantId ?? null,
    assistantName: null,
    teamId: record.teamId,
    startAt: record.startAt ?? null,
    endAt,
    callEndTriggerBy: record.callEndTriggerBy ?? null,
    ended: endAt !== null,
    statuses,
    messages,
  })
  return [['call id', record.id] as const, ...facts.map(({ name, value }) => [name, value] as const)]
}

/** Returns the summary of a call for its row in the list. */
export function summarizeCall(record: CallView, { key, messages }: SelectedCall): CallSummary {
  const { id, customer, direction, createdAt, updatedAt, startAt = null, endAt = null, status } = record
  const lastMessage = messages.at(-1)
  const finished = status !== 'queued' && status !== 'ongoing'
  const { callEndTriggerBy } = record
  return {
    key,
    callId: id,
    conversation: null,
    customerName: customer.name ?? null,
    ...formatNumbers(record),
    direction,
    startAt,
    endAt,
    assistantName: null,
    status,
    phoneCallStatus: record.phoneCallStatus ?? null,
    finished,
    outcome: getOutcome({ ended: finished, messages, statuses: listStatuses(record), callEndTriggerBy }),
    success: formatSuccess(record.analysis ?? null),
    messages: messages.length,
    events: 0,
    failedDeliveries: 0,
    last:
      lastMessage === undefined
        ? null
        : { role: lastMessage.role, text: lastMessage.text.slice(0, maxShownLength) },
    firstAt: readDateTime(startAt ?? createdAt) ?? 0,
    // The record changes with the status alone.
    lastAt: Math.max(readDateTime(updatedAt) ?? 0, readDateTime(lastMessage?.timestamp ?? undefined) ?? 0),
  }
}

/** Characters, in one row of the list. */
const maxShownLength = 160

/** A webhook in the form of a tail's event. */
export function toShownEvent({ number, type, at, bytes }: WebhookSummary): ShownEvent {
  const eventFields = { number, type, at: readDateTime(at) ?? 0, bytes }
  return { ...eventFields, news: null, odd: [], contentType: 'application/json', deliveries: [] }
}

/** True for a webhook that makes its call a failed one. A receiver that does not run is common while one builds, and does not. */
export function wasRejected(webhook: WebhookSummary): boolean {
  return wasNotTaken(webhook) && (webhook.sent === 0 || webhook.status !== undefined)
}

/** True if a fault dropped the webhook, or its receiver did not take it. */
export function wasNotTaken({ sent, status = 0, faults = [] }: WebhookSummary): boolean {
  return sent === 0 ? faults.includes('drop') : status < 200 || status > 299
}
