import { toolEventTypes } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { readDateTime } from '../../lib/text/date-time.ts'
import { toJsonDocument, toJsonLine } from '../../lib/text/escape.ts'
import { excerpt } from '../../lib/text/layout.ts'
import type { CallTranscript } from '../conversation/index.ts'
import type { OutcomeWords } from '../conversation/read-outcome.ts'
import { analysisResults, type CallFact, callFacts, statusTimes, titleWithoutId } from './call-words.ts'

export type ShownCall = ReturnType<typeof showCall>
export type ShownMessage = ShownCall['messages'][number]

export interface ShownFact {
  readonly name: string
  readonly value: string
  readonly time?: ShownTime
}

/** Converts a call to the parts that all document formats show, before layout. All texts are untrusted. */
export function showCall(
  call: CallTranscript,
  words?: OutcomeWords,
  slowest?: readonly [label: string, value: string],
) {
  const times = statusTimes(call.statuses, call)
  return {
    title: call.callId === null ? titleWithoutId(call.conversation) : `Call ${call.callId}`,
    facts: [
      ...callFacts(call, words).map(toFact),
      ...(slowest === undefined ? [] : [{ name: slowest[0], value: slowest[1] }]),
    ],
    statuses: call.statuses.map(({ status, phoneCallStatus, at }, index) => ({
      time: showTime(times[index] ?? at),
      words: phoneCallStatus === null ? status : `${status}, ${phoneCallStatus}`,
    })),
    messages: call.messages.map(({ role, text, timestamp, edited }) => ({
      role: role.trim() === '' ? 'unknown' : unixLines(role),
      time: timestamp === null ? undefined : showTime(timestamp),
      text: unixLines(text),
      edited,
    })),
    analysis: toAnalysis(call.analysis ?? {}),
    notes: listNotes(call),
  }
}

function toFact({ name, value, isTime }: CallFact): ShownFact {
  if (!isTime) return { name, value: unixLines(value) }
  const time = showTime(value)
  return { name, value: time.full, time }
}

/** Keeps texts; formats other values as JSON, indented and on one line. */
function toAnalysis(analysis: Readonly<Record<string, unknown>>) {
  return analysisResults(analysis).map(([title, value]) => {
    const name = title.trim() === '' ? 'unnamed' : unixLines(title)
    return typeof value === 'string'
      ? { name, value: unixLines(value) }
      : { name, value: toJsonDocument(value), oneLine: toJsonLine(value) }
  })
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function listNotes({ otherEvents, malformedItems, unread, ended }: CallTranscript): string[] {
  return [
    ...Object.entries(otherEvents).map(([type, count]) => `${count} × event ${type}`),
    ...(malformedItems > 0 ? [`${malformedItems} × an item that is not a message`] : []),
    ...unread.flatMap(formatNote),
    ...(ended ? [] : ['the recording has no end of this call']),
  ]
}

/** Omits normal events, which are only counted. */
function formatNote({ type, path, odd, value }: CallTranscript['unread'][number]): string[] {
  if (path !== null) return [formatMalformedItem(path, value)]
  return odd.length === 0 ? [] : [formatUnreadEvent(type ?? '', value, odd)]
}

/** Formats an event without messages and status on one line. */
export function formatUnreadEvent(type: string, event: unknown, odd: readonly string[] = []): string {
  const reason = odd.length === 0 ? '' : ` (${odd.join(', ')})`
  const tool = odd.length === 0 ? getToolCall(type, event) : undefined
  if (tool !== undefined) {
    const { name, arguments: args, failure, result } = tool
    return `${type} ${excerpt(String(name))}: ${excerpt(toJsonLine(failure ?? result ?? args ?? null))}`
  }
  return `event ${type}${reason}: ${excerpt(toJsonLine(event))}`
}

/** Tool of an event about one; undefined for any other event. */
export function getToolCall(type: string, event: unknown) {
  const message = isObject(event) && isObject(event.message) ? event.message : {}
  return isToolEvent(type) && isObject(message.toolCall) ? message.toolCall : undefined
}

function isToolEvent(type: string): boolean {
  return toolEventTypes.some(candidate => candidate === type)
}

/** Formats an invalid item of `messages` on one line. */
export function formatMalformedItem(path: string, item: unknown): string {
  return `${path} is not a message: ${excerpt(toJsonLine(item))}`
}

export type ShownTime = ReturnType<typeof showTime>

/** Formats a date-time; other text stays unchanged. */
function showTime(text: string) {
  const at = readDateTime(text)
  if (at === undefined) return { iso: undefined, clock: text, full: text }
  const iso = new Date(at).toISOString()
  const clock = iso.slice(11, 19)
  return { iso, clock, full: `${iso.slice(0, 10)} ${clock} UTC` }
}
