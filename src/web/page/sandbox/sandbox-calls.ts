import type { CallObservation } from '../../../files/formats/call-observation.ts'
import type { CallView, WebhookSummary } from '../../../files/formats/control-api.ts'
import { dropOldest } from '../../../lib/drop-oldest.ts'
import { isObject } from '../../../lib/json.ts'
import { describeTranscript } from '../../shown-transcript.ts'
import type { CallSummary } from '../../wire.ts'
import { type CallActivity, emptyCall, matcher, type SelectedCall } from '../page-model.ts'
import {
  failureActivity,
  formatNumbers,
  listActivities,
  summarizeCall,
  toolActivity,
  toPageMessage,
  toShownEvent,
  toTranscript,
  wasRejected,
} from './shown-record.ts'

export type SandboxCalls = ReturnType<typeof createSandboxCalls>

/** The calls of a sandbox as its page knows them. Strings are as clients sent them: hostile. */
export function createSandboxCalls() {
  const summaries = new Map<number, CallSummary>()
  const byId = new Map<string, KnownCall>()
  /** Webhooks by call id, then by number. The first webhook arrives before its call. */
  const webhooks = new Map<string, Map<number, WebhookSummary>>()
  let lastKey = 0
  let version = 0

  const put = (record: CallView) => {
    const call: KnownCall = byId.get(record.id) ?? {
      record,
      detail: emptyCall(++lastKey),
      draft: '',
      listening: false,
    }
    byId.set(record.id, call)
    takeRecord(call, record)
    return call
  }
  const keepWebhook = (webhook: WebhookSummary) => {
    const callWebhooks = webhooks.get(webhook.call) ?? new Map<number, WebhookSummary>()
    webhooks.set(webhook.call, callWebhooks.set(webhook.number, webhook))
    dropOldest(webhooks, maxCallsWithWebhooks)
  }
  const sentOf = (callId: string) =>
    [...(webhooks.get(callId)?.values() ?? [])].sort((one, other) => one.number - other.number)
  const summarize = (call: KnownCall) => {
    version += 1
    const { id } = call.record
    const callWebhooks = sentOf(id)
    call.detail = { ...call.detail, events: callWebhooks.map(toShownEvent) }
    const failedDeliveries = callWebhooks.filter(wasRejected).length
    const summary = { ...summarizeCall(call.record, call.detail), failedDeliveries }
    summaries.set(summary.key, summary)
    return summary
  }

  return {
    summaries,
    /** Increases with every change. */
    get version() {
      return version
    },
    /** The call with this key; undefined for one that is not known, as in keyOf. */
    get: (key: number | undefined): Readonly<KnownCall> | undefined =>
      byId.get(summaries.get(key ?? -1)?.callId ?? ''),
    /** Record and summary of each call, oldest first. */
    *recorded() {
      for (const summary of summaries.values()) {
        const record = byId.get(summary.callId ?? '')?.record
        if (record !== undefined) yield { record, summary }
      }
    },
    keyOf: (callId: string) => byId.get(callId)?.detail.key,
    /** The webhook with this number in the call with this key. */
    webhookOf: (key: number | undefined, number: number) =>
      webhooks.get(summaries.get(key ?? -1)?.callId ?? '')?.get(number),
    /** A new webhook, or a known one after it was sent. */
    takeWebhook(webhook: WebhookSummary) {
      keepWebhook(webhook)
      const call = byId.get(webhook.call)
      if (call !== undefined) summarize(call)
    },
    /** Replaces all calls and webhooks. */
    replace(records: readonly CallView[], sentWebhooks: readonly WebhookSummary[] = []) {
      version += 1
      webhooks.clear()
      for (const webhook of sentWebhooks) keepWebhook(webhook)
      const knownIds = new Set(records.map(({ id }) => id))
      for (const [id, { detail }] of byId) {
        if (knownIds.has(id)) continue
        byId.delete(id)
        summaries.delete(detail.key)
      }
      for (const record of records) {
        const call = put(record)
        call.listening = record.listening === true
        summarize(call)
      }
    },
    /** The call after it; undefined for one that is not known. */
    observe(observation: CallObservation): CallSummary | undefined {
      const { kind, callId } = observation
      const call = kind === 'status' ? put(observation.record) : byId.get(callId)
      if (call === undefined) return undefined
      applyObservation(call, observation)
      return summarize(call)
    },
    /** Finds the calls whose id, numbers, names or texts contain all words of a query, ignoring case. */
    find(query: string) {
      const matches = matcher(query)
      return [...byId.values()].filter(call => matches(...textsOf(call))).map(({ detail }) => detail.key)
    },
  }
}

/** The sandbox keeps this many webhooks, so no more calls can have any. */
const maxCallsWithWebhooks = 1000

interface KnownCall {
  record: CallView
  detail: SelectedCall
  /** Partial assistant message at the end of the transcript. */
  draft: string
  /** True if it is the caller’s turn. */
  listening: boolean
}

/** A record carries messages from its end on; until then they come one by one. */
function takeRecord(call: KnownCall, record: CallView): void {
  const { messages, toolCalls, failures, analysis } = record
  const { detail } = call
  call.record = record
  const isComplete = toolCalls !== undefined || failures !== undefined
  const messageCount = detail.messages.length - (call.draft === '' ? 0 : 1)
  const isAhead = messages !== undefined && messages.length >= messageCount
  if (isAhead) call.draft = ''
  const nextMessages = isAhead ? messages.map(toPageMessage) : detail.messages
  const transcript = toTranscript(record, nextMessages)
  call.detail = {
    ...detail,
    analysis,
    activities: isComplete ? listActivities(record) : detail.activities,
    statuses: transcript.statuses,
    messages: nextMessages,
    facts: describeTranscript(transcript),
  }
}

function applyObservation(call: KnownCall, observation: CallObservation): void {
  const { messages } = call.detail
  const last = messages.length - 1
  switch (observation.kind) {
    case 'status':
      if (observation.status === 'finished') call.listening = false
      dropDraft(call)
      break
    case 'draft': {
      const index = call.draft === '' ? last + 1 : last
      call.draft += observation.text
      messages[index] = toPageMessage({ messageId: '', role: 'assistant', text: call.draft }, index)
      break
    }
    case 'message': {
      call.listening = false
      const knownIndex = messages.findIndex(({ messageId }) => messageId === observation.messageId)
      // This completes the draft at the end, or the caller's words precede it.
      const index = knownIndex !== -1 ? knownIndex : call.draft === '' ? last + 1 : last
      call.draft = ''
      messages[index] = toPageMessage(observation, index)
      break
    }
    case 'listening':
      call.listening = true
      dropDraft(call)
      break
    case 'tool-started': {
      putActivity(call, { ...toolActivity(observation.run), state: 'running' })
      break
    }
    case 'tool-ended': {
      const { result } = observation
      const index = call.detail.activities.findIndex(({ value }) => isObject(value) && value.id === result.id)
      putActivity(call, toolActivity(result), index === -1 ? undefined : index)
      break
    }
    case 'failure':
      putActivity(call, failureActivity(observation))
  }
}

function putActivity(
  call: KnownCall,
  activity: Omit<CallActivity, 'number'>,
  index = call.detail.activities.length,
): void {
  const activities = [...call.detail.activities]
  activities[index] = { number: index + 1, ...activity }
  call.detail = { ...call.detail, activities }
}

function dropDraft(call: KnownCall): void {
  if (call.draft !== '') call.detail.messages.pop()
  call.draft = ''
}

function textsOf({ record, detail }: KnownCall): string[] {
  const { assistantNumber, userNumber } = formatNumbers(record)
  const facts = [record.id, record.customer.name ?? '', assistantNumber, userNumber, record.assistantId ?? '']
  return [...facts, ...detail.messages.map(({ text }) => text)]
}
