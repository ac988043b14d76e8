import { foldWord } from '../../interface/words.ts'
import { duration, readDateTime } from '../../lib/text/date-time.ts'
import type { CallReference, CallTranscript, Fact } from '../conversation/changes.ts'
import {
  type CallCourse,
  getOutcome,
  isUnanswered,
  type OutcomeWords,
  readUnansweredStatus,
  unansweredReasons,
} from '../conversation/read-outcome.ts'

/** Returns the title of a call without id; `null` is for events without a call. */
export function titleWithoutId(conversation: number | null): string {
  if (conversation === null) return 'Events without a call'
  return conversation === 1 ? 'Call without id' : `Call ${conversation} without id`
}

/** Returns the arrow between assistant (left) and user for a `direction` (interface.md 4.2); a dash for other values. */
export function getDirectionArrow(direction: string | null): '→' | '←' | '–' {
  if (direction === 'outbound') return '→'
  return direction === 'inbound' ? '←' : '–'
}

/** True for a call, false for events without a call. */
export function isCall({ callId, conversation }: CallReference): boolean {
  return callId !== null || (conversation ?? null) !== null
}

interface ServiceTimes {
  /** Times from the service, ISO 8601; null or other text if missing. */
  readonly startAt: string | null
  readonly endAt: string | null
}

export interface CallTimes extends ServiceTimes {
  /** Arrival of the first and last event, ISO 8601 or in milliseconds since the epoch. */
  readonly firstAt: string | number
  readonly lastAt: string | number
}

/**
 * Returns the start of a call in milliseconds since the epoch. An unanswered call has only an end: its start is estimated from the time
 * between its events. Falls back to the first event.
 */
export function getCallStart(call: CallTimes): number {
  const [start, end] = [call.startAt, call.endAt].map(at => readDateTime(at ?? undefined))
  const firstAt = new Date(call.firstAt).getTime()
  return start ?? (end === undefined ? firstAt : end - Math.max(0, new Date(call.lastAt).getTime() - firstAt))
}

/**
 * Returns the duration of a call in milliseconds: by the times of the service, or else of a conversation by the arrival of its events.
 * Never mixes the two clocks. Null while the call continues, and if neither is known.
 */
export function getCallDuration(call: CallTranscript): number | null {
  const { ended, messages, statuses, firstAt } = call
  if (!ended) return null
  const endedAt = statuses.at(-1)?.at
  const measured =
    messages.length === 0 || endedAt === undefined ? null : Date.parse(endedAt) - Date.parse(firstAt)
  return getServiceDuration(call) ?? measured
}

/** Returns undefined if the start or the end is missing, or the end precedes the start. */
export function getServiceDuration({ startAt, endAt }: ServiceTimes): number | undefined {
  const [start, end] = [startAt, endAt].map(at => readDateTime(at ?? undefined))
  return start !== undefined && end !== undefined && end >= start ? end - start : undefined
}

interface TimedStatus {
  readonly status: string
  /** Arrival time, ISO 8601. */
  readonly at: string
}

/** Returns sorted ISO 8601 times: start and end by the service's clock, as for messages; others by arrival. */
export function statusTimes(
  statuses: readonly TimedStatus[],
  { startAt, endAt, ended }: ServiceTimes & { readonly ended: boolean },
): string[] {
  const startIndex = statuses.findIndex(({ status }) => isStart(status))
  const end = ended ? statuses.length - 1 : undefined
  const times = statuses.map(({ at }, index) => {
    const time = index === startIndex ? startAt : index === end ? endAt : null
    return time === null || readDateTime(time) === undefined ? at : time
  })
  for (let index = times.length - 2; index >= 0; index -= 1) {
    const [time = '', next = ''] = times.slice(index, index + 2)
    if ((readDateTime(time) ?? 0) > (readDateTime(next) ?? Number.POSITIVE_INFINITY)) times[index] = next
  }
  return times
}

/** True for the status of a call that was picked up. */
export function isStart(status: string): boolean {
  return foldWord(status) === 'ongoing'
}

export interface CallFact {
  readonly name: string
  readonly value: string
  /** True if the value should be a date-time string. */
  readonly isTime: boolean
}

/** Returns the known facts of a call, in display order. */
export function callFacts(
  call: CallCourse & Readonly<Record<Fact, string | null>>,
  words?: OutcomeWords,
): CallFact[] {
  const outcome = getOutcome(call, words)
  const unanswered = isUnanswered(outcome) ? readUnansweredStatus(call.statuses) : undefined
  const length = getServiceDuration(call)
  const facts: [name: string, value: string | null, isTime?: true][] = [
    ['direction', call.direction],
    ['type', call.callType],
    ['user', numberAndName(call.userNumber, call.customerName)],
    ['assistant', numberAndName(call.assistantNumber, call.assistantName)],
    ['assistant id', call.assistantId],
    ['team id', call.teamId],
    ['began', call.startAt, true],
    ['ended', call.endAt, true],
    ['duration', length === undefined ? null : duration(length)],
    ['ended by', call.callEndTriggerBy],
    ['outcome', outcome],
    ['not answered', unanswered === undefined ? null : unansweredReasons[unanswered]],
  ]
  return facts.flatMap(([name, value, isTime = false]) => (value === null ? [] : [{ name, value, isTime }]))
}

function numberAndName(number: string | null, name: string | null): string | null {
  return number === null || name === null ? (number ?? name) : `${number}, ${name}`
}

/** Returns the results of an analysis by display name: the three of interface.md 2.9, then others by their own names. Omits null. */
export function analysisResults(
  analysis: Readonly<Record<string, unknown>>,
): [name: string, value: unknown][] {
  const { summary, successEvaluation, structuredData, ...rest } = analysis
  // A list, because another result may also be called `success`.
  const results: [string, unknown][] = [
    ['summary', summary],
    ['success', addScale(successEvaluation)],
    ['data', structuredData],
    ...Object.entries(rest),
  ]
  return results.filter(([, value]) => value !== undefined && value !== null)
}

/** Formats the success evaluation on one line; empty if there is none. */
export function formatSuccess(analysis: CallTranscript['analysis']): string {
  const [, value] = analysisResults(analysis ?? {}).find(([name]) => name === 'success') ?? []
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

/** Adds the scale to numbers from 0 to 10 (NumericScale, interface.md 2.4): `10 of 10`. */
function addScale(success: unknown): unknown {
  const text = typeof success === 'number' ? String(success) : success
  return typeof text === 'string' && /^(10(\.0+)?|\d(\.\d+)?)$/.test(text) ? `${text} of 10` : success
}
