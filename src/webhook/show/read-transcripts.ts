import { isObject } from '../../interface/is-object.ts'
import type { WebhookEvent } from '../../interface/webhook.ts'
import { isWebhookEvent } from '../../interface/webhook-envelope.ts'
import type { Change } from '../changes.ts'
import { advance } from '../conversation.ts'
import { type Conversation, callIdOf, newConversation } from '../conversation-state.ts'
import type { RecordedEvent, RecordingItem, SkippedLine } from '../recording/recorded-event.ts'
import type { CallTranscript, TranscriptMessage, TranscriptStatus } from './call-transcript.ts'

export interface Transcripts {
  /** In the order of their first event. */
  readonly calls: readonly CallTranscript[]
  /** Lines of the recording that are no events. */
  readonly skipped: readonly SkippedLine[]
  /** Recorded events whose body is no webhook event. */
  readonly unreadable: number
}

/**
 * The calls of a recording by the same fold that `webhook tail` prints: each message once, in the order in which they
 * were first told, with the text that won; statuses once, with the time of their arrival.
 */
export async function readTranscripts(recording: AsyncIterable<RecordingItem>): Promise<Transcripts> {
  const calls = new Map<string | null, CallBuilder>()
  const skipped: SkippedLine[] = []
  let unreadable = 0
  for await (const item of recording) {
    if (item.kind === 'skipped') {
      if (skipped.length < mostSkipped || item.torn) skipped.push(item)
      continue
    }
    const event = readEvent(item)
    if (event === undefined) {
      unreadable += 1
      continue
    }
    const callId = callIdOf(event)
    const call = calls.get(callId) ?? createCall(callId, item.at)
    calls.set(callId, call)
    call.add(event, item.at)
  }
  return { calls: [...calls.values()].map(call => call.transcript()), skipped, unreadable }
}

/** More are not told one by one. */
const mostSkipped = 1000

function readEvent({ body }: RecordedEvent): WebhookEvent | undefined {
  try {
    const event: unknown = JSON.parse(body)
    return isWebhookEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

interface CallBuilder {
  add(event: WebhookEvent, at: string): void
  transcript(): CallTranscript
}

function createCall(callId: string | null, firstAt: string): CallBuilder {
  let conversation: Conversation = newConversation
  let lastAt = firstAt
  let analysis: CallTranscript['analysis'] = null
  let malformedItems = 0
  const facts = new Map<Fact, string>()
  const messages: TranscriptMessage[] = []
  const places = new Map<string, number>()
  const statuses: TranscriptStatus[] = []
  const others = new Map<string, number>()

  const apply = (change: Change, at: string) => {
    switch (change.kind) {
      case 'message':
      case 'edit': {
        const { messageId, role, text, timestamp = null } = change
        const known = messageId === null ? undefined : places.get(messageId)
        const message = { messageId, role, text, timestamp, edited: change.kind === 'edit' }
        if (known !== undefined) messages[known] = message
        else {
          if (messageId !== null) places.set(messageId, messages.length)
          messages.push(message)
        }
        return
      }
      case 'status': {
        const { status, phoneCallStatus } = change
        const last = statuses.at(-1)
        const shown = typeof phoneCallStatus === 'string' ? phoneCallStatus : null
        // An analysis that came later comes with a status that is known.
        if (last?.status !== status || last.phoneCallStatus !== shown)
          statuses.push({ status, phoneCallStatus: shown, at })
        analysis = change.analysis ?? analysis
        return
      }
      case 'event':
        others.set(change.type, (others.get(change.type) ?? 0) + 1)
        return
      case 'malformed':
        malformedItems += 1
    }
  }

  return {
    add(event, at) {
      const step = advance(conversation, event)
      conversation = step.conversation
      lastAt = at
      // A status that comes too late tells what is no longer so.
      for (const [fact, value] of factsOf(event)) {
        if (step.late === 0 || !facts.has(fact)) facts.set(fact, value)
      }
      for (const change of step.changes) apply(change, at)
    },
    transcript() {
      const fact = (name: Fact) => facts.get(name) ?? null
      return {
        callId,
        direction: fact('direction'),
        callType: fact('callType'),
        userNumber: fact('userNumber'),
        assistantNumber: fact('assistantNumber'),
        teamId: fact('teamId'),
        assistantId: fact('assistantId'),
        assistantName: fact('assistantName'),
        customerName: fact('customerName'),
        startAt: fact('startAt'),
        endAt: fact('endAt'),
        callEndTriggerBy: fact('callEndTriggerBy'),
        firstAt,
        lastAt,
        statuses,
        messages,
        analysis,
        otherEvents: Object.fromEntries(others),
        malformedItems,
      }
    },
  }
}

/** interface.md 2.9. */
const callFacts = [
  'direction',
  'callType',
  'userNumber',
  'assistantNumber',
  'teamId',
  'assistantId',
  'startAt',
  'endAt',
  'callEndTriggerBy',
] as const

type Fact = (typeof callFacts)[number] | 'assistantName' | 'customerName'

function factsOf({ message }: WebhookEvent): [Fact, string][] {
  const call: Readonly<Record<string, unknown>> = message.call ?? {}
  const { assistant, customer } = message
  const found: [Fact, unknown][] = [
    ...callFacts.map((name): [Fact, unknown] => [name, call[name]]),
    ['assistantName', isObject(assistant) ? assistant.name : undefined],
    ['customerName', customer?.name],
    // The customer is the user of the call, if the call does not say so itself.
    ...(call.userNumber === undefined ? [['userNumber', customer?.number] as [Fact, unknown]] : []),
  ]
  return found.filter((pair): pair is [Fact, string] => typeof pair[1] === 'string' && pair[1] !== '')
}
