import type { CallTranscript, Fact } from '../conversation/changes.ts'
import { foldWord, type UnansweredStatus, unansweredStatusOf } from '../interface/words.ts'
import { duration, readDateTime } from '../lib/text/date-time.ts'

/** The title of a call without id, by what tells it from others; null for the events of no call. */
export function titleWithoutId(conversation: number | null): string {
  if (conversation === null) return 'Events without a call'
  return conversation === 1 ? 'Call without id' : `Call ${conversation} without id`
}

/**
 * Stands between the assistant, on its left, and the user: who rang whom (interface.md 4.2, `direction`). A direction
 * that is neither `outbound` nor `inbound` is no arrow.
 */
export function ringArrow(direction: string | null): '→' | '←' | '–' {
  if (direction === 'outbound') return '→'
  return direction === 'inbound' ? '←' : '–'
}

/** Whether it is a call, and not the events of none. */
export function isCall({ callId, conversation }: Pick<CallTranscript, 'callId' | 'conversation'>): boolean {
  return callId !== null || conversation !== null
}

/**
 * When a call began, in milliseconds since the epoch: its own time where it has one. One that was not answered has an end alone: the
 * service's clock then, less the time that its events took. Else the time of its first event.
 */
export function beginOf({ startAt, endAt, firstAt, lastAt }: CallTimes): number {
  const [start, end] = [startAt, endAt].map(at => readDateTime(at ?? undefined))
  return start ?? (end === undefined ? firstAt : end - Math.max(0, lastAt - firstAt))
}

/** Why a call was not answered, after "the call was not answered: ". */
export const unansweredReasons = {
  busy: 'the line was busy',
  'no-answer': 'the phone rang and was not picked up',
  failed: 'the number could not be reached',
  canceled: 'it was ended while the phone rang',
} as const satisfies Record<UnansweredStatus, string>

interface CallCourse {
  readonly ended: boolean
  readonly messages: readonly unknown[]
  readonly statuses: readonly { readonly status: string; readonly phoneCallStatus: string | null }[]
}

/** The status of the phone in a call that ended without having been under way; undefined where it was answered, or nothing is known. */
export function unansweredCall({ ended, messages, statuses }: CallCourse): UnansweredStatus | undefined {
  if (!ended || messages.length > 0) return undefined
  if (statuses.some(({ status }) => foldWord(status) === 'ongoing')) return undefined
  const { status, phoneCallStatus } = statuses.at(-1) ?? {}
  return unansweredStatusOf(phoneCallStatus) ?? unansweredStatusOf(status)
}

export interface CallTimes {
  /** Its own times, ISO 8601; null, or something else, where the service sent none. */
  readonly startAt: string | null
  readonly endAt: string | null
  /** Arrival of its first and last event, milliseconds since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
}

/**
 * How long a call that has ended took, in milliseconds: by its own times where it has both, else from its first event to its
 * last. The clocks of the service and of this machine differ, so that one of each says nothing.
 */
export function callLength({ startAt, endAt, firstAt, lastAt }: CallTimes): number {
  return ownLength(startAt, endAt) ?? Math.max(0, lastAt - firstAt)
}

interface TimedStatus {
  readonly status: string
  /** Arrival, ISO 8601. */
  readonly at: string
}

/**
 * Times of the statuses of a call, ISO 8601: the call's own times for its begin and end, so that they fit the timestamps of its
 * messages, else the arrival. No status is later than the next one, because the clock of the service may differ.
 */
export function statusTimes(
  statuses: readonly TimedStatus[],
  { startAt, endAt, ended }: Pick<CallTimes, 'startAt' | 'endAt'> & { readonly ended: boolean },
): string[] {
  const began = statuses.findIndex(({ status }) => foldWord(status) === 'ongoing')
  const end = ended ? statuses.length - 1 : undefined
  const times = statuses.map(({ at }, index) => {
    const time = index === began ? startAt : index === end ? endAt : null
    return time === null || readDateTime(time) === undefined ? at : time
  })
  for (let index = times.length - 2; index >= 0; index -= 1) {
    const [time = '', next = ''] = times.slice(index, index + 2)
    if ((readDateTime(time) ?? 0) > (readDateTime(next) ?? Number.POSITIVE_INFINITY)) times[index] = next
  }
  return times
}

/**
 * What is known of a call beside its id, in the order in which documents and the page show it: label and value; `isTime` where the
 * value should be a date-time string.
 */
export function callFacts(fact: (name: Fact) => string | null, course: CallCourse) {
  const unanswered = unansweredCall(course)
  const length = ownLength(fact('startAt'), fact('endAt'))
  const facts: [name: string, value: string | null, isTime?: true][] = [
    ['direction', fact('direction')],
    ['type', fact('callType')],
    ['user', numberAndName(fact('userNumber'), fact('customerName'))],
    ['assistant', numberAndName(fact('assistantNumber'), fact('assistantName'))],
    ['assistant id', fact('assistantId')],
    ['team id', fact('teamId')],
    ['began', fact('startAt'), true],
    ['ended', fact('endAt'), true],
    ['duration', length === undefined ? null : duration(length)],
    ['ended by', fact('callEndTriggerBy')],
    ['not answered', unanswered === undefined ? null : unansweredReasons[unanswered]],
  ]
  return facts.flatMap(([name, value, isTime = false]) => (value === null ? [] : [{ name, value, isTime }]))
}

function numberAndName(number: string | null, name: string | null): string | null {
  return number === null || name === null ? (number ?? name) : `${number}, ${name}`
}

/** undefined where the service did not say when the call began and ended, or said that it ended before. */
function ownLength(startAt: string | null, endAt: string | null): number | undefined {
  const [start, end] = [startAt, endAt].map(at => readDateTime(at ?? undefined))
  return start !== undefined && end !== undefined && end >= start ? end - start : undefined
}

/**
 * The results of an analysis by the names that people read: the three of interface.md 2.9, then all others under
 * their own names. What is null or undefined says nothing and is left out.
 */
export function analysisResults(
  analysis: Readonly<Record<string, unknown>>,
): [name: string, value: unknown][] {
  const { summary, successEvaluation, structuredData, ...rest } = analysis
  // A list, for one of the rest may be called `success` too.
  const named: [string, unknown][] = [
    ['summary', summary],
    ['success', withScale(successEvaluation)],
    ['data', structuredData],
    ...Object.entries(rest),
  ]
  return named.filter(([, value]) => value !== undefined && value !== null)
}

/** Result of an analysis in one line; empty if there is none. */
export function successOf({ analysis }: Pick<CallTranscript, 'analysis'>): string {
  const [, value] = analysisResults(analysis ?? {}).find(([name]) => name === 'success') ?? []
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

/** A number from 0 to 10 is one of the rubric that interface.md 2.4 shows, NumericScale: `10 of 10`. */
function withScale(success: unknown): unknown {
  const text = typeof success === 'number' ? String(success) : success
  return typeof text === 'string' && /^(10(\.0+)?|\d(\.\d+)?)$/.test(text) ? `${text} of 10` : success
}
