import { foldWord } from '../../interface/words.ts'
import { speechTime } from '../../lib/text/speech-time.ts'
import { getSpeaker } from '../conversation/read-outcome.ts'

/** `other` is for roles that are neither side of the call. */
export type Lane = 'assistant' | 'user' | 'tool' | 'other'

/** A turn or a tool call of a transcript. Times are milliseconds since the epoch. */
export interface TimedItem {
  readonly lane: Lane
  /** Length gives the estimated duration if the start is unknown. */
  readonly text: string
  /** Start; if unknown, estimated from the length of the text. */
  readonly from?: number | undefined
  /** End, which is the `timestamp` of a message; undefined if unknown. */
  readonly until: number | undefined
  /** True if the other side interrupted it. */
  readonly interrupted?: boolean | undefined
  readonly failed?: boolean | undefined
}

/** Part of a timeline. Times are milliseconds since the start of the call. */
export interface Segment {
  readonly lane: Lane | 'silence'
  readonly from: number
  readonly until: number
  /** Index of the item; undefined for a silence. */
  readonly index?: number
  readonly interrupted?: boolean
  readonly failed?: boolean
}

export interface Timeline {
  readonly durationMs: number
  /** Sorted by start. */
  readonly segments: readonly Segment[]
}

/** Shorter pauses are part of speech. */
const minSilenceMs = 1000

export function getLane(role: string): Lane {
  return getSpeaker(role) ?? (/^(tool|function)\b/.test(foldWord(role)) ? 'tool' : 'other')
}

/** Lays out turns, tool calls and silences to scale. Omits items without an end; undefined if there are no others. */
export function callTimeline({
  startAt,
  endAt,
  items,
}: {
  readonly startAt?: number | undefined
  readonly endAt?: number | undefined
  readonly items: readonly TimedItem[]
}): Timeline | undefined {
  if (items.every(({ until }) => until === undefined)) return undefined
  const startTime = hasSameClock(startAt, items) ? startAt : undefined
  const placedItems = placeItems(items, startTime)
  const origin =
    startTime ?? placedItems.reduce((first, { from }) => Math.min(first, from), Number.POSITIVE_INFINITY)
  const last = placedItems.reduce((latest, { until }) => Math.max(latest, until), origin)
  const durationMs = Math.max(last, endAt ?? last) - origin
  const segments = placedItems.map(segment => ({
    ...segment,
    from: segment.from - origin,
    until: segment.until - origin,
  }))
  const allSegments = [...segments, ...findSilences(segments, durationMs)]
  return { durationMs, segments: allSegments.sort((one, other) => one.from - other.from) }
}

/** True if a start can be compared with the items: one after an item comes from another clock. */
function hasSameClock(startAt: number | undefined, items: readonly TimedItem[]): startAt is number {
  return startAt !== undefined && items.every(({ until = startAt }) => until >= startAt)
}

/** An estimated turn never overlaps the turn before it or the start of the call. */
function placeItems(items: readonly TimedItem[], startTime = Number.NEGATIVE_INFINITY): Segment[] {
  let spokenUntil = startTime
  return items.flatMap(({ lane, text, from, until, interrupted = false, failed = false }, index) => {
    if (until === undefined) return []
    const isSpoken = lane === 'assistant' || lane === 'user'
    const end = Math.max(until, from === undefined && isSpoken ? spokenUntil : startTime)
    const estimate = isSpoken ? Math.max(spokenUntil, end - speechTime(text)) : end
    const segment = { lane, from: Math.max(startTime, Math.min(from ?? estimate, end)), until: end, index }
    if (isSpoken) spokenUntil = Math.max(spokenUntil, end)
    return [{ ...segment, ...(interrupted && { interrupted }), ...(failed && { failed }) }]
  })
}

function findSilences(segments: readonly Segment[], durationMs: number): Segment[] {
  const spokenSegments = segments
    .filter(({ lane }) => lane !== 'tool')
    .sort((one, other) => one.from - other.from)
  const silences: Segment[] = []
  let until = 0
  for (const next of [...spokenSegments, { from: durationMs, until: durationMs }]) {
    if (next.from - until >= minSilenceMs) silences.push({ lane: 'silence', from: until, until: next.from })
    until = Math.max(until, next.until)
  }
  return silences
}

/** Returns milliseconds of speech and silence, and counts of tool calls and interruptions. */
export function timelineTotals({ segments }: Timeline) {
  const ofLane = (lane: Segment['lane']) => segments.filter(segment => segment.lane === lane)
  const length = (lane: Segment['lane']) =>
    ofLane(lane).reduce((sum, { from, until }) => sum + until - from, 0)
  return {
    assistantMs: length('assistant'),
    userMs: length('user'),
    silenceMs: length('silence'),
    toolCalls: ofLane('tool').length,
    interruptions: segments.filter(({ interrupted }) => interrupted === true).length,
  }
}

/** Silences of reports are longer than this. */
export const longSilenceMs = 4000

/** A reply of the assistant to the caller. Times are milliseconds. */
export interface Reply {
  /** From the end of the caller's turn to the start of the reply. */
  readonly ms: number
  /** Start of the reply in the call. */
  readonly at: number
  /** Index of the caller's item. */
  readonly index: number
}

/**
 * Finds the replies that are answers: not what the assistant says while a tool runs that it waits for. A caller who speaks meanwhile still
 * waits. Before the end of a call, words that only a tool followed are an answer if the caller went on.
 */
export function findAnswers({ segments }: Timeline): Reply[] {
  const tools = segments.filter(({ lane }) => lane === 'tool')
  const answers: Reply[] = []
  let userSegment: Segment | undefined
  let beforeTool: Segment | undefined
  let next = 0
  let runningUntil = Number.NEGATIVE_INFINITY
  /** Returns when the tools end that began before this time. Times never decrease. */
  const toolsUntil = (at: number) => {
    for (let tool = tools[next]; tool !== undefined && tool.from < at; tool = tools[++next])
      runningUntil = Math.max(runningUntil, tool.until)
    return runningUntil
  }
  const answer = (question: Segment, { from }: Segment) => {
    answers.push({ ms: Math.max(0, from - question.until), at: from, index: question.index ?? 0 })
    userSegment = undefined
  }
  for (const segment of segments) {
    const { lane, from, until } = segment
    if (lane === 'user') {
      const isRunning = toolsUntil(from) > from
      if (userSegment !== undefined && beforeTool !== undefined && !isRunning) answer(userSegment, beforeTool)
      if (userSegment === undefined || (!isRunning && until >= userSegment.until)) userSegment = segment
      beforeTool = undefined
    }
    if (lane !== 'assistant' || userSegment === undefined) continue
    const isFree = toolsUntil(from) <= from
    if (toolsUntil(until) <= from) answer(userSegment, segment)
    else if (isFree) beforeTool ??= segment
  }
  return answers
}

/** Measures what a timeline shows: the replies, the long silences, and the speech of both sides. */
export function measureTimeline(timeline: Timeline) {
  const { assistantMs, userMs, interruptions } = timelineTotals(timeline)
  const replies: Reply[] = []
  let userSegment: Segment | undefined
  for (const segment of timeline.segments) {
    const { lane, from } = segment
    if (lane === 'user' && (userSegment === undefined || segment.until >= userSegment.until))
      userSegment = segment
    if (lane !== 'assistant' || userSegment === undefined) continue
    replies.push({ ms: Math.max(0, from - userSegment.until), at: from, index: userSegment.index ?? 0 })
    userSegment = undefined
  }
  const silences = timeline.segments
    .filter(({ lane }) => lane === 'silence')
    .map(({ from, until }) => until - from)
    .filter(length => length > longSilenceMs)
  return { assistantMs, userMs, interruptions, replies, silences }
}

/** Returns the time until somebody spoke, in milliseconds; undefined without a start on the clock of the messages. */
export function firstWordMs(
  timeline: Timeline,
  startAt: number | undefined,
  items: readonly TimedItem[],
): number | undefined {
  if (!hasSameClock(startAt, items)) return undefined
  return timeline.segments.find(({ lane }) => lane === 'assistant' || lane === 'user')?.from
}
