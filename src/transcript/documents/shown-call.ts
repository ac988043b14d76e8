import { toJsonDocument, toJsonLine } from '../../lib/text/escape.ts'
import { excerpt } from '../../lib/text/layout.ts'
import type { CallTranscript, UnreadPart } from '../../webhook/conversation/call-transcript.ts'
import { analysisResults } from '../analysis-results.ts'
import { titleWithoutId } from '../call-title.ts'
import { type ShownTime, showDuration, showTime } from './shown-time.ts'

/** A call as every document shows it: what stands where, before any layout. All texts are hostile. */
export interface ShownCall {
  readonly title: string
  readonly facts: readonly ShownFact[]
  readonly statuses: readonly { readonly time: ShownTime; readonly words: string }[]
  readonly messages: readonly ShownMessage[]
  readonly analysis: readonly ShownResult[]
  /** What the recording held besides. */
  readonly notes: readonly string[]
}

export interface ShownFact {
  readonly name: string
  readonly value: string
  readonly time?: ShownTime
}

/** A text as it is; everything else as JSON, indented and on one line. */
export interface ShownResult {
  readonly name: string
  readonly value: string
  readonly json?: { readonly oneLine: string }
}

export interface ShownMessage {
  readonly role: string
  readonly time: ShownTime | undefined
  readonly text: string
  readonly edited: boolean
}

export function showCall(call: CallTranscript): ShownCall {
  return {
    title: call.callId === null ? titleWithoutId(call.conversation) : `Call ${call.callId}`,
    facts: factsOf(call),
    statuses: call.statuses.map(({ status, phoneCallStatus, at }) => ({
      time: showTime(at),
      words: phoneCallStatus === null ? status : `${status}, ${phoneCallStatus}`,
    })),
    messages: call.messages.map(({ role, text, timestamp, edited }) => ({
      role: role.trim() === '' ? 'unknown' : unixLines(role),
      time: timestamp === null ? undefined : showTime(timestamp),
      text: unixLines(text),
      edited,
    })),
    analysis: analysisOf(call.analysis ?? {}),
    notes: notesOf(call),
  }
}

function factsOf(call: CallTranscript): ShownFact[] {
  const [start, end] = [call.startAt, call.endAt].map(at => (at === null ? undefined : showTime(at)))
  const duration = showDuration(start, end)
  const fact = (name: string, value: string | null | undefined): ShownFact[] =>
    value === null || value === undefined ? [] : [{ name, value: unixLines(value) }]
  const moment = (name: string, time: ShownTime | undefined): ShownFact[] =>
    time === undefined ? [] : [{ name, value: time.full, time }]
  return [
    ...fact('direction', call.direction),
    ...fact('type', call.callType),
    ...fact('user', numberAndName(call.userNumber, call.customerName)),
    ...fact('assistant', numberAndName(call.assistantNumber, call.assistantName)),
    ...fact('assistant id', call.assistantId),
    ...fact('team id', call.teamId),
    ...moment('began', start),
    ...moment('ended', end),
    ...fact('duration', duration),
    ...fact('ended by', call.callEndTriggerBy),
  ]
}

function numberAndName(number: string | null, name: string | null): string | null {
  return number === null || name === null ? (number ?? name) : `${number}, ${name}`
}

function analysisOf(analysis: Readonly<Record<string, unknown>>): ShownResult[] {
  return analysisResults(analysis).map(([name, value]): ShownResult => {
    const shownName = name.trim() === '' ? 'unnamed' : unixLines(name)
    return typeof value === 'string'
      ? { name: shownName, value: unixLines(value) }
      : { name: shownName, value: toJsonDocument(value), json: { oneLine: toJsonLine(value) } }
  })
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function notesOf({ otherEvents, malformedItems, unread, ended }: CallTranscript): string[] {
  return [
    ...Object.entries(otherEvents).map(([type, count]) => `${count} × event ${type}`),
    ...(malformedItems > 0 ? [`${malformedItems} × an item that is not a message`] : []),
    ...unread.flatMap(oddNote),
    ...(ended ? [] : ['the recording has no end of this call']),
  ]
}

/** What is odd in an event, and the event; one of another type, in which nothing is odd, is counted alone. */
function oddNote({ type, path, odd, value }: UnreadPart): string[] {
  if (path === null && odd.length === 0) return []
  const what = path === null ? `event ${type ?? ''} (${odd.join(', ')})` : `${path} is not a message`
  return [`${what}: ${excerpt(toJsonLine(value))}`]
}
