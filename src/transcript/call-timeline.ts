import { foldWord } from '../interface/words.ts'
import { speechTime } from '../lib/text/speech-time.ts'

/** `other` for roles that are neither side of the call. */
export type Lane = 'assistant' | 'user' | 'tool' | 'other'

/** A turn or a tool call of a transcript. Times are milliseconds since the epoch. */
export interface TimedItem {
  readonly lane: Lane
  /** Its length tells how long a turn took whose begin is unknown. */
  readonly text: string
  /** Undefined if unknown: a turn then takes as long as it takes to say its text. */
  readonly from?: number | undefined
  /** When it was complete, which is what the `timestamp` of a message says. Undefined if unknown. */
  readonly until: number | undefined
  /** The other side stopped it. */
  readonly interrupted?: boolean | undefined
  readonly failed?: boolean | undefined
}

/** Times are milliseconds since the begin of the call. */
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
  /** Sorted by their begin. */
  readonly segments: readonly Segment[]
}

/** A shorter pause is part of talking. */
const minSilenceMs = 1000

/** The lane of a message by its role. */
export function laneOf(role: string): Lane {
  const word = foldWord(role)
  if (word === 'assistant' || word === 'user') return word
  return /^(tool|function)\b/.test(word) ? 'tool' : 'other'
}

/**
 * Lays out a call to scale: its turns, tool calls and silences. Items stand in the order of the transcript; those without a time are
 * left out. Undefined if none has one.
 */
export function callTimeline({
  startAt,
  endAt,
  items,
}: {
  readonly startAt?: number | undefined
  readonly endAt?: number | undefined
  readonly items: readonly TimedItem[]
}): Timeline | undefined {
  const timed = items.flatMap(({ until }) => (until === undefined ? [] : [until]))
  if (timed.length === 0) return undefined
  // A start after a message comes from another clock.
  const begin = startAt !== undefined && timed.every(until => until >= startAt) ? startAt : undefined
  const placed = placeItems(items, begin)
  const origin = begin ?? placed.reduce((first, { from }) => Math.min(first, from), Number.POSITIVE_INFINITY)
  const last = placed.reduce((latest, { until }) => Math.max(latest, until), origin)
  const durationMs = Math.max(last, endAt ?? last) - origin
  const segments = placed.map(segment => ({
    ...segment,
    from: segment.from - origin,
    until: segment.until - origin,
  }))
  const all = [...segments, ...silencesIn(segments, durationMs)]
  return { durationMs, segments: all.sort((one, other) => one.from - other.from) }
}

/** No turn with an estimated begin reaches into the one before it, or before the begin of the call. */
function placeItems(items: readonly TimedItem[], begin = Number.NEGATIVE_INFINITY): Segment[] {
  let spokenUntil = begin
  return items.flatMap(({ lane, text, from, until, interrupted = false, failed = false }, index) => {
    if (until === undefined) return []
    const isSpoken = lane === 'assistant' || lane === 'user'
    const end = Math.max(until, from === undefined && isSpoken ? spokenUntil : begin)
    const estimate = isSpoken ? Math.max(spokenUntil, end - speechTime(text)) : end
    const segment = { lane, from: Math.max(begin, Math.min(from ?? estimate, end)), until: end, index }
    if (isSpoken) spokenUntil = Math.max(spokenUntil, end)
    return [{ ...segment, ...(interrupted && { interrupted }), ...(failed && { failed }) }]
  })
}

function silencesIn(segments: readonly Segment[], durationMs: number): Segment[] {
  const spoken = segments.filter(({ lane }) => lane !== 'tool').sort((one, other) => one.from - other.from)
  const silences: Segment[] = []
  let until = 0
  for (const next of [...spoken, { from: durationMs, until: durationMs }]) {
    if (next.from - until >= minSilenceMs) silences.push({ lane: 'silence', from: until, until: next.from })
    until = Math.max(until, next.until)
  }
  return silences
}

/** What a timeline shows in numbers: milliseconds of speech and silence, and how often tools were called and turns interrupted. */
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
