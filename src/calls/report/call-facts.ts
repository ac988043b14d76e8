import { type CallTranscript, callName, type RecordedCall } from '../../events/conversation/index.ts'
import {
  callTimeline,
  findAnswers,
  firstWordMs,
  getCallDuration,
  getCallStart,
  getLane,
  maxDistanceMs,
  measureTimeline,
  type TimedItem,
  type Timeline,
} from '../../events/transcript/index.ts'
import { readSuccess, type SuccessVerdict } from '../../interface/success-evaluation.ts'
import { type CallOutcome, foldWord } from '../../interface/words.ts'
import { isObject } from '../../lib/json.ts'
import { readDateTime } from '../../lib/text/date-time.ts'
import { toExcerpt } from '../../lib/text/escape.ts'
import { toWords } from '../../lib/text/words.ts'
import {
  findGaps,
  findInterrupted,
  getEndedBy,
  groupQuestions,
  listQuestions,
  toReplayableCall,
  type UnansweredQuestion,
} from '../../scenario/record/index.ts'
import { findOptOut, getOutcome, type OutcomeWords } from '../outcomes/index.ts'
import type { SlowestAnswer } from './slowest-answer-schema.ts'

/** Everything that a report needs of one call. A fact that no event tells is null or empty; times are milliseconds. */
export interface CallIdentity {
  /** Name by which `webhook show` finds it. */
  readonly call: string
  /** Index of the source that it was first seen in. */
  readonly source: number
  /** Start, since the epoch. */
  readonly at: number
  readonly assistant: string | null
  readonly from: string | null
  readonly to: string | null
}

interface CallMeasures {
  readonly firstWordMs: number | null
  /** Estimated speech of both sides; null without message times. */
  readonly talk: { readonly assistantMs: number; readonly userMs: number } | null
  readonly replies: readonly number[]
  /** Replies without those that a tool spoke, or that were spoken while it ran; null if no event tells when tools ran. */
  readonly answers: readonly number[] | null
  readonly slowest: SlowestAnswer | null
  /** Lengths of the long silences; null without message times. */
  readonly silences: readonly number[] | null
  /** Times that the caller interrupted the assistant; null without messages. */
  readonly interruptions: number | null
  readonly tools: readonly ToolFacts[]
  /** Only with `withLanes`. */
  readonly lanes?: CallLanes
}

export interface CallFacts extends CallIdentity, CallMeasures {
  /** Null while the call is in progress. */
  readonly outcome: CallOutcome | null
  readonly endedBy: string | null
  readonly durationMs: number | null
  readonly messages: number | null
  /** Words of both sides. */
  readonly words: { readonly assistant: number; readonly user: number } | null
  readonly success: SuccessVerdict | null
  /** Structured data by field, with dots for inner fields: numbers, and other values as words. */
  readonly data: Readonly<Record<string, readonly (number | string)[]>>
  /** Null without messages, as the following ones. */
  readonly unanswered: readonly UnansweredQuestion[] | null
  /** Questions that the caller asked more than once. */
  readonly repeated: readonly string[] | null
  readonly isTransferred: boolean | null
  readonly isOptedOut: boolean | null
}

export interface ToolFacts {
  readonly name: string
  /** Undefined if its end is unknown. */
  readonly ms: number | undefined
  readonly isFailed: boolean
}

/** Timeline of a call with the texts of its items. */
export interface CallLanes {
  readonly timeline: Timeline
  readonly items: readonly { readonly who: string; readonly text: string }[]
  /** Answers by their start in the timeline, with the time that the caller waited; both in milliseconds. */
  readonly answers: ReadonlyMap<number, number>
}

/** Part of the facts whose reading takes time. */
export type FactPart =
  | 'timeline'
  | 'answers'
  | 'interruptions'
  | 'tools'
  | 'words'
  | 'unanswered'
  | 'repeated'
  | 'opt-out'

export interface FactsOptions {
  readonly words?: OutcomeWords | undefined
  /** Parts to read; default: all. The facts of others are as if no event told them. */
  readonly parts?: ReadonlySet<FactPart> | undefined
  /** True to keep the lanes of each call, which need as much memory as its messages. */
  readonly withLanes?: boolean | undefined
}

/** Characters that are kept of a text. */
const maxText = 100

/** Reduces a call to its facts. `call` is complete, or as far as its events have told. */
export function toCallFacts(call: RecordedCall, source: number, options: FactsOptions): CallFacts {
  const { transcript } = call
  const { messages, analysis, callEndTriggerBy } = transcript
  const hasMessages = messages.length > 0
  const { parts, withLanes = false } = options
  const reads = (part: FactPart) => parts === undefined || parts.has(part)
  const userLines = messages.flatMap(({ role, text }) => (getLane(role) === 'user' ? [text] : []))
  const endedBy = transcript.ended ? formatEndedBy(getEndedBy(transcript), callEndTriggerBy) : null
  const outcome = getOutcome(transcript, options.words)
  const course = hasMessages && reads('unanswered') ? toReplayableCall(call, undefined) : undefined
  const name = callName(transcript)
  const last = transcript.statuses.at(-1)
  const words = [last?.status, last?.phoneCallStatus, callEndTriggerBy].flatMap(word => word ?? [])
  return {
    call: name,
    source,
    at: getCallStart(transcript),
    assistant: cut(transcript.assistantName ?? transcript.assistantId),
    from: cut(transcript.assistantNumber),
    to: cut(transcript.userNumber),
    outcome,
    endedBy,
    durationMs: getCallDuration(transcript),
    messages: messages.length,
    ...measure(call, { reads, withLanes }),
    words:
      hasMessages && reads('words')
        ? { assistant: countWords(messages, 'assistant'), user: countWords(messages, 'user') }
        : null,
    success: successOf(analysis),
    data: flatten(analysis?.structuredData),
    unanswered: course === undefined ? null : findGaps(course, name).map(cutQuestion),
    repeated: hasMessages && reads('repeated') ? findRepeated(listQuestions(userLines), name) : null,
    isTransferred: transcript.ended ? outcome === 'forwarded' || endedBy === 'forward' : null,
    isOptedOut:
      (hasMessages || analysis !== null) && reads('opt-out')
        ? findOptOut({ userLines, ended: { words, analysis } }) !== undefined
        : null,
  }
}

/** Returns who ended a call, in a word that is independent of the spelling of the service; null if it does not say. */
export function formatEndedBy(by: ReturnType<typeof getEndedBy>, word: string | null): string | null {
  return by ?? cut(word === null ? null : foldWord(word))
}

const noMeasures = {
  firstWordMs: null,
  talk: null,
  replies: [],
  answers: null,
  slowest: null,
  silences: null,
  interruptions: null,
  tools: [],
} as const satisfies CallMeasures

/** Facts of a call whose events were not recorded. */
export const unrecordedFacts = {
  assistant: null,
  from: null,
  to: null,
  outcome: null,
  endedBy: null,
  durationMs: null,
  messages: null,
  ...noMeasures,
  words: null,
  success: null,
  data: {},
  unanswered: null,
  repeated: null,
  isTransferred: null,
  isOptedOut: null,
} as const satisfies Omit<CallFacts, 'call' | 'at' | 'source'>

/** Reads what an analysis (interface.md 2.9) says about success and data. */
export function readAnalysis(analysis: Readonly<Record<string, unknown>> | null) {
  return { success: successOf(analysis), data: flatten(analysis?.structuredData) }
}

function measure(
  call: RecordedCall,
  { reads, withLanes }: { reads(part: FactPart): boolean; readonly withLanes: boolean },
): CallMeasures {
  const { transcript, tools } = call
  const { messages } = transcript
  const [startAt, endAt] = [transcript.startAt, transcript.endAt].map(text => readDateTime(text ?? undefined))
  const interrupted = messages.length === 0 || !reads('interruptions') ? undefined : findInterrupted(call)
  const used = tools.map(({ name, result, from, until, respondedAt }) => ({
    ...{ name: toExcerpt(name, maxText), from: Date.parse(from) },
    until: until === undefined ? undefined : Date.parse(until),
    respondedAt: respondedAt === undefined ? undefined : Date.parse(respondedAt),
    isFailed: result !== undefined && 'fails' in result,
  }))
  const items: TimedItem[] = [
    ...messages.map(({ role, text, timestamp }, index) => ({
      ...{ lane: getLane(role), text, until: readDateTime(timestamp ?? undefined) },
      interrupted: interrupted?.has(index),
    })),
    ...used.map(({ from, until, isFailed }) => ({
      ...{ lane: 'tool' as const, text: '', from, until: until ?? from, failed: isFailed },
    })),
  ]
  // The arrival of a tool's events may be on another clock.
  const messageItems = items.slice(0, messages.length)
  const isTimed = reads('timeline') || reads('answers')
  const timeline = isTimed ? callTimeline({ startAt, endAt, items: messageItems }) : undefined
  const facts = {
    interruptions: interrupted?.size ?? null,
    tools: used.map(({ name, from, until, isFailed }) => ({
      ...{ name, isFailed, ms: until === undefined ? undefined : Math.max(0, until - from) },
    })),
  }
  if (timeline === undefined) return { ...noMeasures, ...facts }
  const { assistantMs, userMs, replies, silences } = measureTimeline(timeline)
  const isFar = findForeign(messageItems, endAt)
  const waits = used.map(({ from, respondedAt = Number.POSITIVE_INFINITY }) => ({
    ...{ lane: 'tool' as const, text: '', from, until: respondedAt },
  }))
  const tellsTools = call.tellsTools || tools.some(({ respondedAt }) => respondedAt !== undefined)
  const isOneClock = used.every(({ from, respondedAt = from }) => !isFar(from, respondedAt))
  const answers =
    reads('answers') && tellsTools && isOneClock
      ? findAnswers(callTimeline({ startAt, endAt, items: [...messageItems, ...waits] }) ?? timeline)
      : undefined
  const measured = answers ?? replies
  const slowest = measured.reduce((most, reply) => (reply.ms > (most?.ms ?? -1) ? reply : most), measured[0])
  return {
    ...facts,
    firstWordMs: firstWordMs(timeline, startAt, messageItems) ?? null,
    talk: { assistantMs, userMs },
    replies: replies.map(({ ms }) => ms),
    answers: answers?.map(({ ms }) => ms) ?? null,
    slowest:
      slowest === undefined
        ? null
        : {
            ...{ kind: answers === undefined ? ('reply' as const) : ('answer' as const) },
            ...{
              ms: slowest.ms,
              at: slowest.at,
              after: toExcerpt(messages[slowest.index]?.text ?? '', maxText),
            },
          },
    silences,
    ...(withLanes && {
      lanes: {
        timeline:
          callTimeline({
            ...{ startAt, endAt },
            items: items.map(item =>
              item.lane === 'tool' && isFar(item.from, item.until) ? { ...item, until: undefined } : item,
            ),
          }) ?? timeline,
        items: [
          ...messages.map(({ role, text }) => ({ who: role, text: toExcerpt(text, 3 * maxText) })),
          ...used.map(({ name }) => ({ who: 'tool', text: name })),
        ],
        answers: new Map(answers?.map(({ at, ms }) => [at, ms])),
      },
    }),
  }
}

/** Returns a function that is true for the times of a tool that are far from the speech of the call. */
function findForeign(messageItems: readonly TimedItem[], endAt = Number.NEGATIVE_INFINITY) {
  const times = messageItems.flatMap(({ until }) => until ?? [])
  const first = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  const last = times.reduce((most, at) => Math.max(most, at), endAt)
  return (from: number = first, until: number = last): boolean =>
    from < first - maxDistanceMs || until > last + maxDistanceMs
}

function countWords(messages: CallTranscript['messages'], side: 'assistant' | 'user'): number {
  return messages.reduce(
    (sum, { role, text }) => (getLane(role) === side ? sum + toWords(text).length : sum),
    0,
  )
}

/** Returns the first wording of each question that was asked again. */
function findRepeated(questions: readonly string[], call: string): string[] {
  if (questions.length < 2) return []
  return groupQuestions(questions.map(text => ({ text, call, reason: 'data' })))
    .filter(({ count }) => count > 1)
    .map(({ question }) => toExcerpt(question, maxText))
}

function cutQuestion({ text, ...rest }: UnansweredQuestion): UnansweredQuestion {
  return { ...rest, text: toExcerpt(text, maxText) }
}

function successOf(analysis: Readonly<Record<string, unknown>> | null): SuccessVerdict | null {
  const value = analysis?.successEvaluation
  if (value === undefined || value === null) return null
  const verdict = readSuccess(value)
  return verdict.passed === undefined ? null : verdict
}

/** Fields that are kept of the structured data of a call. */
const maxFields = 100

function flatten(data: unknown): CallFacts['data'] {
  const valuesByPath = new Map<string, (number | string)[]>()
  const collect = (value: unknown, path: string) => {
    if (Array.isArray(value)) for (const item of value) collect(item, path)
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value))
        collect(inner, path === '' ? name : `${path}.${name}`)
    else if (path !== '' && value !== null && value !== undefined && value !== '') {
      const values = valuesByPath.get(path) ?? []
      if (values.length === 0 && valuesByPath.size >= maxFields) return
      // JSON may hold 1e400, which is not a number to compute with.
      values.push(Number.isFinite(value) ? (value as number) : toExcerpt(String(value), maxText))
      valuesByPath.set(path, values)
    }
  }
  collect(data, '')
  return Object.fromEntries(valuesByPath)
}

function cut(text: string | null): string | null {
  return text === null ? null : toExcerpt(text, maxText)
}
