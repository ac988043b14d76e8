import type { CallView, WebhookSummary } from '../../../files/formats/control-api.ts'
import { readDateTime } from '../../../lib/text/date-time.ts'
import { type ShownTranscript, summarizeTranscript } from '../../shown-transcript.ts'
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

/** Returns the call of a record with the messages so far. */
export function toTranscript(record: CallView, messages: SelectedCall['messages']): ShownTranscript {
  const { id, direction, customer, assistantId = null, teamId, startAt = null, endAt = null } = record
  return {
    ...{ callId: id, conversation: null, ...formatNumbers(record), direction, callType: null },
    ...{ customerName: customer.name ?? null, assistantId, assistantName: null, teamId, startAt, endAt },
    callEndTriggerBy: record.callEndTriggerBy ?? null,
    ended: record.status !== 'queued' && record.status !== 'ongoing',
    statuses: listStatuses(record),
    messages,
    analysis: record.analysis ?? null,
  }
}

/** Returns the summary of a call for its row in the list. */
export function summarizeCall(record: CallView, { key, messages }: SelectedCall): CallSummary {
  const { createdAt, updatedAt, startAt, status, phoneCallStatus = null } = record
  const lastAt = readDateTime(messages.at(-1)?.timestamp ?? undefined)
  return {
    ...summarizeTranscript(toTranscript(record, messages)),
    ...{ key, status, phoneCallStatus, events: 0, failedDeliveries: 0 },
    firstAt: readDateTime(startAt ?? createdAt) ?? 0,
    // The record changes with the status alone.
    lastAt: Math.max(readDateTime(updatedAt) ?? 0, lastAt ?? 0),
  }
}

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
