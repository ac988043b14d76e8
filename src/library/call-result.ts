import type { StoredCall } from '../files/formats/control-api.ts'
import { dropOldest } from '../lib/drop-oldest.ts'
import { isObject } from '../lib/json.ts'
import { escapeForTerminal } from '../lib/text/escape.ts'
import type { SentWebhook } from '../sandbox/index.ts'
import type { Call, Transcript, TranscriptMessage } from './public-sandbox.ts'
import type { WebhookEvent } from './resources.ts'

/** A call as a test sees it: a copy. `events` are its webhooks so far. */
export function toCall(stored: StoredCall, events: readonly WebhookEvent[]): Call {
  const record = structuredClone(stored)
  const { id, status, phoneCallStatus, callEndTriggerBy, startAt, endAt, analysis, toolCalls = [] } = record
  return {
    id,
    status,
    phoneCallStatus,
    endedBy: callEndTriggerBy,
    durationMs: startAt === undefined || endAt === undefined ? 0 : Date.parse(endAt) - Date.parse(startAt),
    transcript: toTranscript(record),
    toolCalls: toolCalls.map(toToolCall),
    events: [...events],
    analysis,
    record,
  }
}

function toToolCall(record: ToolCallRecord): Call['toolCalls'][number] {
  const { failure, simulated } = record
  return {
    name: record.name,
    arguments: record.arguments,
    content: String(record.content),
    ...(typeof failure === 'string' ? { failure } : {}),
    ...(simulated === true ? { simulated } : {}),
  }
}

type ToolCallRecord = NonNullable<StoredCall['toolCalls']>[number]

function toTranscript({ messages = [] }: StoredCall): Transcript {
  const transcriptMessages = messages.map(
    ({ role, text, timestamp, interrupted }): TranscriptMessage => ({
      role,
      text,
      at: timestamp,
      ...(interrupted === true ? { interrupted } : {}),
    }),
  )
  // Not enumerable: a test that compares it with an array sees the messages alone.
  return Object.defineProperty(transcriptMessages, 'toString', {
    value: () => transcriptMessages.map(formatMessage).join('\n'),
  })
}

/** Never wrapped, so that an assertion can search it. */
function formatMessage({ role, text, interrupted }: TranscriptMessage): string {
  const line = escapeForTerminal(text.replaceAll('\r\n', '\n'), { allowedCharacters: '\n' }).replaceAll(
    '\n',
    ' ↵ ',
  )
  return `${role.padEnd('assistant'.length)}  ${line}${interrupted === true ? ' (cut short)' : ''}`
}

export type WebhookLog = ReturnType<typeof createWebhookLog>

/** Calls: of older ones nothing is kept. */
const maxCalls = 1000

/** The webhooks of a world's calls. */
export function createWebhookLog() {
  const calls = new Map<string, { readonly events: WebhookEvent[]; sent: Promise<void> }>()
  return {
    add({ callId, body, sent }: SentWebhook) {
      const call = calls.get(callId) ?? { events: [], sent }
      if (isEvent(body)) call.events.push(body)
      call.sent = sent
      calls.set(callId, call)
      dropOldest(calls, maxCalls)
    },
    of: (callId: string): readonly WebhookEvent[] => calls.get(callId)?.events ?? [],
    /** Resolves when those of a call so far were handed over. */
    sent: async (callId: string) => calls.get(callId)?.sent,
    clear: () => calls.clear(),
  }
}

/** The sandbox sends nothing else. */
function isEvent(body: unknown): body is WebhookEvent {
  return isObject(body) && isObject(body.message)
}
