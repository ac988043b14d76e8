import type { Change, EditChange, MessageChange, StatusChange } from '../webhook/changes.ts'
import type { TailEvent } from '../webhook/tail.ts'
import { analysisResults } from './analysis-results.ts'
import { excerpt, labelWidth, plain, widthOf } from './layout.ts'
import { callKey, dropOldest } from './remembered-calls.ts'
import { bold, cyan, dim, green, join, magenta, type Text, yellow } from './text.ts'
import type { TimestampForm } from './timestamp-forms.ts'
import { blank, type Cell, type Line, onOneLine, wrapped } from './transcript-line.ts'
import { createTimes, type TranscriptTimes } from './transcript-times.ts'

/** How a transcript is to look. */
export interface TranscriptLook {
  /** Each message on one line. */
  readonly compact?: boolean | undefined
  readonly timestamps?: TimestampForm | undefined
  /** Milliseconds since the epoch: when the event that is being rendered arrived. */
  readonly now: () => number
}

/** What a transcript needs to know besides the event; renderTailEvent and passOver keep it. */
export interface TranscriptView {
  /** Columns, now. */
  readonly width: number
  readonly compact: boolean
  readonly times: TranscriptTimes
  /** Calls that are shown and going on. With more than one, lines carry a tag of their call. */
  readonly live: Set<string>
}

/** A number of columns that stays, or what is asked for each event: a terminal may be resized. */
export function createTranscriptView(
  terminal: number | { readonly width: number },
  { compact = false, timestamps = 'none', now }: TranscriptLook = { now: () => 0 },
): TranscriptView {
  return {
    get width() {
      return typeof terminal === 'number' ? terminal : terminal.width
    },
    compact,
    times: createTimes(timestamps, now),
    live: new Set(),
  }
}

/** One event of a tail as a person reads it; undefined for what is not part of a transcript. */
export function renderTailEvent(event: TailEvent, view: TranscriptView): Text | undefined {
  if (!isChange(event)) return undefined
  const { callId } = event
  if (callId !== null) {
    view.live.add(callKey(callId))
    dropOldest(view.live)
  }
  const time = timeCell(event, view)
  const front = event.kind === 'status' ? time : [...time, ...tagCell(callId, view)]
  forgetFinished(event, view)
  const put = view.compact ? onOneLine : wrapped
  return join(
    linesOf(event, front, view).map(line => put(line, view.width)),
    '\n',
  )
}

/** An event that is not to be shown: its call may have begun or ended with it. */
export function passOver(event: TailEvent, view: TranscriptView): void {
  if (!isChange(event)) return
  timeCell(event, view)
  forgetFinished(event, view)
}

function isChange(event: TailEvent): event is Change {
  return 'callId' in event
}

function forgetFinished(event: Change, { live }: TranscriptView): void {
  if (event.kind === 'status' && event.status === 'finished' && event.callId !== null)
    live.delete(callKey(event.callId))
}

function timeCell(event: Change, { times }: TranscriptView): Cell[] {
  const { callId } = event
  const hasTimestamp = event.kind === 'message' || event.kind === 'edit'
  const words = times.of(hasTimestamp ? { callId, timestamp: event.timestamp } : { callId })
  return times.columns === 0 ? [] : [{ words, columns: times.columns, gap: 1, style: dim }]
}

function tagCell(callId: string | null, { live }: TranscriptView): Cell[] {
  if (live.size < 2) return []
  const words = callId === null ? '-' : endOf(callId, live)
  return [{ words, columns: Math.max(tagWidth, widthOf(words)), gap: 1, style: dim }]
}

const tagWidth = 6
const longestTag = 24

/** The last characters of an id, as many as tell calls apart. */
function endOf(callId: string, live: ReadonlySet<string>): string {
  const characters = [...callId.slice(-4 * longestTag)]
  const own = callKey(callId)
  for (let length = tagWidth; ; length += 2) {
    const end = characters.slice(-length).join('')
    const isShared = [...live].some(other => other !== own && other.endsWith(end))
    if (!isShared || length >= Math.min(longestTag, characters.length)) return end
  }
}

function linesOf(event: Change, front: readonly Cell[], view: TranscriptView): Line[] {
  switch (event.kind) {
    case 'message':
      return [spoken(event, front)]
    case 'edit':
      return view.compact ? [marked(event, front)] : [spoken(event, front), wasBefore(event, front)]
    case 'status':
      return [statusLine(event, front, view), ...analysisLines(event.analysis ?? {}, front)]
    case 'event':
      return [aside(`event ${event.type}: ${json(event.event)}`, front)]
    case 'malformed':
      return [aside(`an item that is not a message: ${json(event.item)}`, front)]
  }
}

function json(value: unknown): string {
  return excerpt(JSON.stringify(value) ?? '')
}

function spoken({ role, text: words }: MessageChange | EditChange, front: readonly Cell[]): Line {
  const label = { words: role, columns: labelWidth, gap: 2, style: colorOf(role) }
  return { cells: [...front, label], words, style: plain }
}

function marked(edit: EditChange, front: readonly Cell[]): Line {
  const line = spoken(edit, front)
  return { ...line, words: `(edited) ${line.words}` }
}

function wasBefore({ before }: EditChange, front: readonly Cell[]): Line {
  return aside(before === undefined ? '(edited)' : `(edited, was: ${before})`, front.map(blank))
}

function aside(words: string, front: readonly Cell[]): Line {
  return { cells: [...front, { words: '', columns: labelWidth, gap: 2, style: dim }], words, style: dim }
}

function statusLine(change: StatusChange, front: readonly Cell[], view: TranscriptView): Line {
  const { compact, width, live } = view
  const { callId, status: name, phoneCallStatus, callEndTriggerBy } = change
  const facts = [
    name,
    ...(typeof phoneCallStatus === 'string' ? [phoneCallStatus] : []),
    ...(typeof callEndTriggerBy === 'string' ? [`ended by ${callEndTriggerBy}`] : []),
  ].join(' · ')
  // On one line the status must not be what is cut away behind a long id.
  const isLong = compact && callId !== null && callId.length + facts.length + rule.columns + 4 > width
  const call = callId === null ? 'call without id' : isLong ? `…${endOf(callId, live)}` : callId
  return { cells: [...front, rule], words: `${call} · ${facts}`, style: dim }
}

const rule: Cell = { words: '──', columns: 2, gap: 1, style: dim }

function analysisLines(analysis: Readonly<Record<string, unknown>>, front: readonly Cell[]): Line[] {
  return analysisResults(analysis).map(([name, value]) => ({
    cells: [
      ...front.map(blank),
      { words: '', columns: 3, gap: 0, style: plain },
      { words: name, columns: labelWidth, gap: 2, style: bold },
    ],
    words: typeof value === 'string' ? value : JSON.stringify(value),
    style: plain,
  }))
}

function colorOf(role: string): (label: Text) => Text {
  if (role === 'assistant') return cyan
  if (role === 'user') return green
  return role === 'unknown' ? yellow : magenta
}
