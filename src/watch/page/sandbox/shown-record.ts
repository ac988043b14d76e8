import type { CallView } from '../../../interface/control-api.ts'
import { readDateTime } from '../../../lib/text/date-time.ts'
import { callFacts, successOf } from '../../../transcript/call-words.ts'
import type { CallDetail, CallSummary, PageMessage } from '../../wire.ts'
import type { SelectedCall } from '../page-model.ts'

/** What a tool was asked and answered, or what did not work. */
export interface CallWork {
  /** From 1, of its call. */
  readonly number: number
  readonly title: string
  readonly state: 'running' | 'done' | 'simulated' | 'failed'
  readonly value: unknown
}

interface ToolCall {
  readonly name: string
  readonly failure?: unknown
  readonly simulated?: unknown
}

export function toolStateOf({ failure, simulated }: ToolCall): CallWork['state'] {
  if (failure !== undefined) return 'failed'
  return simulated === true ? 'simulated' : 'done'
}

export function worksOf({ toolCalls = [], failures = [] }: CallView): CallWork[] {
  const works = [
    ...toolCalls.map(call => ({ title: call.name, state: toolStateOf(call), value: call })),
    ...failures.map(({ part, message }) => ({ title: part, state: 'failed' as const, value: message })),
  ]
  return works.map((work, place) => ({ number: place + 1, ...work }))
}

type StoredMessage = NonNullable<CallView['messages']>[number]

export function toPageMessage(
  message: Omit<StoredMessage, 'timestamp'> & { timestamp?: string },
  place: number,
): PageMessage {
  const { messageId, role, text, timestamp = null, interrupted } = message
  return {
    place,
    messageId,
    role,
    text: interrupted === true ? `${text} –` : text,
    cut: 0,
    timestamp,
    edited: false,
  }
}

export function statusesOf(record: CallView): CallDetail['statuses'][number][] {
  const { createdAt, startAt, endAt, status, phoneCallStatus = null } = record
  const steps: [status: string, at: string | undefined][] = [
    ['queued', createdAt],
    ['ongoing', startAt],
    [status, endAt],
  ]
  const known = steps.flatMap(([word, at]) => (at === undefined ? [] : [{ status: word, at }]))
  return known.map((step, place) => ({
    ...step,
    phoneCallStatus: place === known.length - 1 ? phoneCallStatus : null,
  }))
}

/** The numbers of the assistant and of the user, whichever of the two placed the call. */
export function numbersOf({ direction, phoneVendorDetails: { from, to }, customer }: CallView) {
  return { assistantNumber: direction === 'outbound' ? from : to, userNumber: customer.number }
}

export function factsOf(record: CallView, { statuses, messages }: SelectedCall): CallDetail['facts'] {
  const { assistantNumber, userNumber } = numbersOf(record)
  const { direction, customer, assistantId, teamId, startAt, endAt, callEndTriggerBy } = record
  const known: Readonly<Record<string, string | undefined>> = {
    direction,
    userNumber,
    customerName: customer.name,
    assistantNumber,
    assistantId,
    teamId,
    startAt,
    endAt,
    callEndTriggerBy,
  }
  const facts = callFacts(name => known[name] ?? null, { ended: endAt !== undefined, statuses, messages })
  return [['call id', record.id] as const, ...facts.map(({ name, value }) => [name, value] as const)]
}

/** Its row in the list. */
export function summaryOf(record: CallView, { key, messages }: SelectedCall): CallSummary {
  const { id, customer, direction, createdAt, updatedAt, startAt = null, endAt = null, status } = record
  const said = messages.at(-1)
  return {
    key,
    callId: id,
    conversation: null,
    customerName: customer.name ?? null,
    ...numbersOf(record),
    direction,
    startAt,
    endAt,
    assistantName: null,
    status,
    phoneCallStatus: record.phoneCallStatus ?? null,
    finished: status !== 'queued' && status !== 'ongoing',
    success: successOf({ analysis: record.analysis ?? null }),
    messages: messages.length,
    events: 0,
    last: said === undefined ? null : { role: said.role, text: said.text.slice(0, maxShownLength) },
    firstAt: readDateTime(startAt ?? createdAt) ?? 0,
    // The record changes with the status alone.
    lastAt: Math.max(readDateTime(updatedAt) ?? 0, readDateTime(said?.timestamp ?? undefined) ?? 0),
  }
}

/** Characters, in one row of the list. */
const maxShownLength = 160
