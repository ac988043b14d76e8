import { isUnanswered as isUnansweredOutcome } from '../../events/conversation/read-outcome.ts'
import { callTimeline, getLane } from '../../events/transcript/call-timeline.ts'
import {
  getDirectionArrow,
  getServiceDuration,
  isCall,
  titleWithoutId,
} from '../../events/transcript/call-words.ts'
import { dropOldest } from '../../lib/drop-oldest.ts'
import { count } from '../../lib/text/count.ts'
import { localDate, readDateTime } from '../../lib/text/date-time.ts'
import { shortId } from '../../lib/text/did-you-mean.ts'
import type { Batch, CallDetail, CallSummary, PageMessage, ShownDelivery, ShownEvent } from '../wire.ts'

/**
 * `ended`: the tail said so. `crowded`: the tail has as many pages as it takes, and this one has stopped. `other-run`: the address of
 * this page belongs to a run that is over.
 */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'ended' | 'crowded' | 'other-run'

export const stateFilters = ['all', 'live', 'finished', 'failed'] as const
export type StateFilter = (typeof stateFilters)[number]

/** The list after a batch; calls that did not change stay the same objects. */
export function applyBatch(calls: ReadonlyMap<number, CallSummary>, batch: Batch): Map<number, CallSummary> {
  const next = batch.whole ? new Map<number, CallSummary>() : new Map(calls)
  for (const call of batch.calls) next.set(call.key, call)
  for (const key of batch.gone) next.delete(key)
  return next
}

/** The newest first: a list that moves only when a call begins is one that can be read and clicked. */
export function visibleCalls(
  calls: ReadonlyMap<number, CallSummary>,
  state: StateFilter,
  matchingKeys: ReadonlySet<number> | undefined,
): CallSummary[] {
  return [...calls.values()]
    .filter(filters[state])
    .filter(({ key }) => matchingKeys?.has(key) ?? true)
    .sort((one, other) => other.key - one.key)
}

const filters: Readonly<Record<StateFilter, (call: CallSummary) => boolean>> = {
  all: () => true,
  live: isLive,
  finished: ({ finished }) => finished,
  failed: isFailed,
}

export type TextMatcher = (...texts: readonly string[]) => boolean

/** Returns a predicate: true if the texts contain all words of a query, ignoring case. */
export function matcher(query: string): TextMatcher {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return (...texts) => {
    const folded = words.length === 0 ? [] : texts.map(text => text.toLowerCase())
    return words.every(word => folded.some(text => text.includes(word)))
  }
}

export function getTitle({ customerName, userNumber, callId, conversation }: CallSummary): string {
  return customerName ?? userNumber ?? (callId === null ? titleWithoutId(conversation) : shortId(callId))
}

export function isLive(call: CallSummary): boolean {
  return isCall(call) && !call.finished
}

/** Before the name of the user: whom the assistant rang, or who rang it; nothing where that is not known. */
export function getArrow({ direction }: CallSummary): '→ ' | '← ' | '' {
  const arrow = getDirectionArrow(direction)
  return arrow === '–' ? '' : `${arrow} `
}

export function formatStatus(call: CallSummary): string {
  const { status, phoneCallStatus, outcome } = call
  if (!isCall(call)) return 'no call'
  if (outcome !== null) return outcome
  return [status ?? 'no status yet', phoneCallStatus].filter(part => part !== null).join(' · ')
}

/** True if the call has ended and nobody picked up. */
export function isUnanswered({ outcome }: CallSummary): boolean {
  return isUnansweredOutcome(outcome)
}

/** True if nobody picked up, the analysis reports a failure, or an event was not delivered. */
export function isFailed(call: CallSummary): boolean {
  return isUnanswered(call) || isFailure(call.success) || call.failedDeliveries > 0
}

/** Returns the end of a call's row: its failure, or the result of its analysis. */
export function callVerdict({ success, failedDeliveries }: CallSummary): string {
  if (isFailure(success)) return `✕ ${success}`
  return failedDeliveries > 0 ? `✕ ${failedDeliveries} not delivered` : success
}

/** True for the verdict of a rubric that has only two: `fail`, `false`. */
export function isFailure(success: string): boolean {
  return /^(fail(ed)?|false)$/i.test(success)
}

/** Returns the last message, or a note that there is none. */
export function getPreview(call: CallSummary): { readonly role: string; readonly text: string } {
  const { last, finished } = call
  if (last !== null) return { role: last.role, text: last.text.replace(/\s+/g, ' ') }
  if (!isCall(call)) return { role: '', text: '' }
  return { role: '', text: finished ? 'no messages' : 'no messages yet' }
}

/** `now`, `3 min`, `2 h`, `4 d`: how long ago it was. */
export function formatAge(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`
}

/** `Today`, `Yesterday`, else the date. */
export function formatDay(at: number, now: number): string {
  const day = localDate(at)
  if (day === localDate(now)) return 'Today'
  return day === localDate(now - 24 * 3_600_000) ? 'Yesterday' : day
}

/** Explains why a call has no analysis. */
export function explainMissingAnalysis(facts: SelectedCall['facts']): string {
  const isUnanswered = facts.some(([name]) => name === 'not answered')
  return isUnanswered ? 'None: the call was not answered.' : 'Available after the call.'
}

/** Why there is nothing to read of a call. */
export function explainMissingMessages(facts: SelectedCall['facts']): string {
  const factValues = new Map(facts)
  const reason = factValues.get('not answered')
  if (reason !== undefined) return `The call was not answered: ${reason}.`
  return factValues.has('ended') ? 'No messages.' : 'No messages yet.'
}

/**
 * Known state of the selected call: a new object after each change, with the same list of messages while it only grows.
 */
export interface SelectedCall extends Omit<CallDetail, 'whole' | 'messages' | 'deliveries'> {
  readonly messages: PageMessage[]
  /** Empty on the page of a tail: events carry messages alone. */
  readonly activities: readonly CallActivity[]
}

/** A tool call, or a failure of the model, a tool or the analysis. */
export interface CallActivity {
  /** From 1, of its call. */
  readonly number: number
  readonly title: string
  readonly kind: 'tool' | 'failure'
  readonly state: 'running' | 'done' | 'simulated' | 'failed'
  readonly value: unknown
  /** Milliseconds since the epoch, in the time of the call; undefined if unknown. */
  readonly from: number | undefined
  /** Undefined while the call is live, or if unknown. */
  readonly until: number | undefined
}

export type TranscriptItem = PageMessage | CallActivity

export function isActivity(item: TranscriptItem): item is CallActivity {
  return 'number' in item
}

/** Lists the messages of a call with its tool calls and failures in order; those without a time at the end. */
export function transcriptItems({ messages, activities }: SelectedCall): readonly TranscriptItem[] {
  if (activities.length === 0) return messages
  const waiting = activities.filter(({ from }) => from !== undefined)
  const items: TranscriptItem[] = []
  for (const message of messages) {
    // Words that are being made have no time yet.
    const at = readDateTime(message.timestamp ?? undefined) ?? Number.POSITIVE_INFINITY
    while ((waiting[0]?.from ?? Number.POSITIVE_INFINITY) < at) items.push(...waiting.splice(0, 1))
    items.push(message)
  }
  return [...items, ...waiting, ...activities.filter(({ from }) => from === undefined)]
}

/** Items of a transcript to scale; undefined if none has a time. */
export function buildTimeline({ facts }: SelectedCall, items: readonly TranscriptItem[]) {
  const factValues = new Map(facts)
  return callTimeline({
    startAt: readDateTime(factValues.get('began')),
    endAt: readDateTime(factValues.get('ended')),
    items: items.map(item =>
      isActivity(item)
        ? {
            lane: 'tool' as const,
            text: '',
            from: item.from,
            until: item.until ?? item.from,
            failed: item.state === 'failed',
          }
        : {
            lane: getLane(item.role),
            text: item.text,
            until: readDateTime(item.timestamp ?? undefined),
            interrupted: item.interrupted,
          },
    ),
  })
}

/** A call of which nothing is known yet. */
export function emptyCall(key: number): SelectedCall {
  return {
    key,
    facts: [],
    messages: [],
    activities: [],
    missing: 0,
    malformed: 0,
    statuses: [],
    analysis: undefined,
    events: [],
    firstEvent: 1,
  }
}

/** Adds what is new to the selected call. A long call is not copied ten times a second. */
export function applyDetail(selected: SelectedCall | undefined, detail: CallDetail): SelectedCall {
  const callBefore = detail.whole || selected?.key !== detail.key ? emptyCall(detail.key) : selected
  const { whole: _, deliveries: later, ...news } = detail
  for (const message of news.messages) callBefore.messages[message.index] = message
  return {
    ...news,
    messages: callBefore.messages,
    activities: callBefore.activities,
    analysis: news.analysis ?? callBefore.analysis,
    statuses: [...callBefore.statuses, ...news.statuses],
    events: [
      ...withDeliveries(callBefore.events, later).filter(({ number }) => number >= news.firstEvent),
      ...news.events,
    ],
  }
}

function withDeliveries(
  events: readonly ShownEvent[],
  later: CallDetail['deliveries'],
): readonly ShownEvent[] {
  if (later.length === 0) return events
  const deliveriesByNumber = new Map(later.map(({ number, deliveries }) => [number, deliveries]))
  return events.map(event => ({
    ...event,
    deliveries: deliveriesByNumber.get(event.number) ?? event.deliveries,
  }))
}

/** `200 in 12 ms, second attempt`: how a delivery went, in words. */
export function deliveryWords(delivery: ShownDelivery): string {
  switch (delivery.state) {
    case 'waiting':
      return delivery.reason === undefined ? 'waiting to be forwarded' : `waiting: ${delivery.reason}`
    case 'skipped':
      return 'not forwarded: nothing new'
    case 'dropped':
      return 'not forwarded: too many events wait'
  }
  const { attempt, again, milliseconds } = delivery
  const outcome =
    'status' in delivery ? `${delivery.status} in ${Math.round(milliseconds)} ms` : delivery.reason
  const attempts = attempt === 1 ? '' : `, ${ordinals[attempt - 1] ?? `${attempt}th`} attempt`
  return `${outcome}${attempts}${again ? ', retrying' : ''}`
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth']

interface NoteFacts {
  readonly connection: ConnectionState
  /** True if the tail has dropped this call. */
  readonly gone: boolean
  /** True if the page shows the call. */
  readonly isShown: boolean
  /** Events that came after what is shown. */
  readonly missed: number
}

/** Returns a note about missing parts of a call; empty if it is complete. */
export function callNote({ connection, gone, isShown, missed }: NoteFacts): string {
  const notes = [
    ...(gone ? ['The tail no longer has this call.'] : []),
    ...(isShown || gone ? [] : [unknownWords[connection]]),
    ...(missed > 0 ? [`Shown as it was when it was open last, ${count(missed, 'event')} ago.`] : []),
  ]
  return notes.filter(note => note !== '').join(' ')
}

/** Why nothing is shown of a call that the page has not read. */
const unknownWords: Readonly<Record<ConnectionState, string>> = {
  connecting: '',
  live: '',
  lost: 'This call was not open before the connection was lost. It is shown when the tail is back.',
  ended: 'The tail has ended, and this call was not open before: its transcript is not on this page.',
  crowded: 'This call was not open before, and the tail cannot be asked: too many pages are open.',
  'other-run': 'This call was not open before its tail ended: its transcript is not on this page.',
}

/** Returns the number of events of a call so far. */
export function countEvents({ firstEvent, events }: SelectedCall): number {
  return firstEvent - 1 + events.length
}

/** The last `maxCalls` calls that were shown, to be read again when the tail cannot be asked. */
export function createShownCalls(maxCalls = 20) {
  const cache = new Map<number, SelectedCall>()
  return {
    keep(call: SelectedCall) {
      // Sorted by when each was last shown.
      cache.delete(call.key)
      cache.set(call.key, call)
      dropOldest(cache, maxCalls)
    },
    get: (key: number) => cache.get(key),
    clear: () => cache.clear(),
  }
}

/** Returns the length of a call in milliseconds, up to `now` while it is live. A call without waiting is ahead of `now`. */
export function getDuration(call: CallSummary, now: number): number {
  const { finished, firstAt, lastAt } = call
  if (!finished) return Math.max(now, lastAt) - firstAt
  return getServiceDuration(call) ?? lastAt - firstAt
}

/** Offsets of the keys that move through a list. */
const steps: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['ArrowRight', 1],
  ['ArrowLeft', -1],
  ['PageDown', 10],
  ['PageUp', -10],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
])

/** Returns the index that an arrow key moves to among `count` items; undefined for other keys. */
export function destination(key: string, index: number, count: number): number | undefined {
  const step = steps.get(key)
  return step === undefined || count === 0 ? undefined : Math.max(0, Math.min(index + step, count - 1))
}

/** `812 B`, `14.2 kB`, `3.0 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  // 999,950 is rounded to the next unit.
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
