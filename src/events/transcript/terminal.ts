import { escapeForTerminal } from '../../lib/text/escape.ts'
import { cut, labelWidth, plain, widthOf } from '../../lib/text/layout.ts'
import { bold, cyan, dim, green, join, magenta, red, type Text, yellow } from '../../lib/text/text.ts'
import {
  type Change,
  type ConversationEvents,
  isEndingWord,
  type MessageChange,
  type StatusChange,
} from '../conversation/index.ts'
import { getOutcome, isUnanswered } from '../conversation/read-outcome.ts'
import { createCallNames, type NamedCall } from './call-names.ts'
import { analysisResults, isStart } from './call-words.ts'
import { formatMalformedItem, formatUnreadEvent, getToolCall } from './shown-call.ts'
import {
  blank,
  type Cell,
  measureCells,
  type TranscriptLine,
  truncateLine,
  wrapLine,
} from './transcript-line.ts'
import { createTimes, type TimestampFormat } from './transcript-times.ts'

export interface TranscriptLook {
  /** Puts each message on one line. */
  readonly compact?: boolean | undefined
  readonly timestamps?: TimestampFormat | undefined
  /** Returns the arrival time of the event that is being rendered, in milliseconds since the epoch. */
  readonly now: () => number
}

export type TranscriptPrinter = ReturnType<typeof createTranscriptPrinter>

/** Creates the state that renderTailEvent and skipEvent update. A terminal's width is read for each event, because it may be resized. */
export function createTranscriptPrinter(
  terminal: number | { readonly width: number },
  { compact = false, timestamps = 'none', now }: TranscriptLook = { now: () => 0 },
) {
  /** Call of the lines without a tag. */
  const untagged: { call: NamedCall | undefined } = { call: undefined }
  return {
    /** Current width in columns. */
    get width() {
      return typeof terminal === 'number' ? terminal : terminal.width
    },
    compact,
    times: createTimes(timestamps, now),
    names: createCallNames(),
    untagged,
  }
}

type SourceKind = 'connected' | 'disconnected' | 'gap' | 'stream-replaced' | 'partitions'

type AnyEvent =
  | ConversationEvents
  | { readonly kind: 'ready' | 'refused' | 'body-form' | 'summary' | SourceKind }

/** Renders an event of a tail; undefined if it is not part of a transcript. */
export function renderTailEvent(event: AnyEvent, view: TranscriptPrinter): Text | undefined {
  if (!isChange(event)) {
    forgetEnded(event, view)
    return undefined
  }
  const lines = attributedLines(event, view)
  forgetEnded(event, view)
  const put = view.compact ? truncateLine : wrapLine
  return join(lines.map(line => put(line, view.width)))
}

/** Renders a message when there is only one call. Width in columns. */
export function renderMessage(message: MessageChange, width: number): Text {
  return wrapLine(toMessageLine(message, []), width)
}

/** Updates the state for a hidden event, which may be the first or last of its call. */
export function skipEvent(event: AnyEvent, view: TranscriptPrinter): void {
  forgetEnded(event, view)
  if (isChange(event)) timeCell(event, view)
}

function isChange(event: AnyEvent): event is Change {
  return 'callId' in event && event.kind !== 'ended'
}

function forgetEnded(event: AnyEvent, { names }: TranscriptPrinter): void {
  if (event.kind === 'ended' || (event.kind === 'status' && event.ended === true)) names.end(event)
}

/**
 * Renders lines that identify their call. Status lines name it. With several live calls, other lines carry a tag; otherwise they belong to
 * the last named call, and a change of call is announced.
 */
function attributedLines(event: Change, view: TranscriptPrinter): TranscriptLine[] {
  const { names, untagged } = view
  const isNew = !names.has(event)
  const call = names.nameOf(event)
  const time = timeCell(event, view)
  if (event.kind === 'status') {
    untagged.call = call
    return statusLines(event, call, time, view)
  }
  if (names.live > 1) {
    untagged.call = undefined
    return toLines(event, [...time, tagCell(call, view)], view)
  }
  const isNamed = untagged.call === call
  untagged.call = call
  const words = isNew ? call.title : names.isLive(event) ? `${call.title} continues` : call.title
  const name = { cells: [...time.map(blank), rule], words, style: dim }
  return [...(isNamed ? [] : [name]), ...toLines(event, time, view)]
}

function timeCell(event: Change, { times }: TranscriptPrinter): Cell[] {
  const words = times.of(event, timestampOf(event))
  return times.columns === 0 ? [] : [{ words, columns: times.columns, gap: 1, style: dim }]
}

/** Time of an event by the service's clock, if it has one. */
function timestampOf(event: Change): string | undefined {
  if (event.kind === 'message' || event.kind === 'edit') return event.timestamp
  if (event.kind === 'status')
    return event.ended ? event.endAt : isStart(event.status) ? event.startAt : undefined
  if (event.kind !== 'event') return undefined
  const { startedAt, endedAt = startedAt } = getToolCall(event.type, event.event) ?? {}
  return typeof endedAt === 'string' ? endedAt : undefined
}

function tagCell({ shortId, color }: NamedCall, { names }: TranscriptPrinter): Cell {
  const columns = Math.max(names.tagColumns, widthOf(shortId))
  return { words: shortId, columns, gap: 1, style: color, isEssential: true }
}

function toLines(
  event: Exclude<Change, StatusChange>,
  front: readonly Cell[],
  view: TranscriptPrinter,
): TranscriptLine[] {
  switch (event.kind) {
    case 'message':
      return [toMessageLine(event, front)]
    case 'edit': {
      const line = toMessageLine(event, front)
      if (view.compact) return [{ ...line, words: `(edited) ${line.words}` }]
      const note = event.before === undefined ? '(edited)' : `(edited, was: ${event.before})`
      return [line, toAsideLine(note, front.map(blank))]
    }
    case 'event':
      return [toAsideLine(formatUnreadEvent(event.type, event.event, event.odd), front)]
    case 'malformed':
      return [toAsideLine(formatMalformedItem(event.path, event.item), front)]
  }
}

function toMessageLine(
  { role, text: words }: { readonly role: string; readonly text: string },
  front: readonly Cell[],
): TranscriptLine {
  const label = { words: role, columns: labelWidth, gap: 2, style: colorOf(role) }
  return { cells: [...front, label], words, style: plain }
}

function toAsideLine(words: string, front: readonly Cell[]): TranscriptLine {
  return { cells: [...front, { words: '', columns: labelWidth, gap: 2, style: dim }], words, style: dim }
}

function statusLines(
  change: StatusChange,
  { title, color }: NamedCall,
  time: readonly Cell[],
  { compact, width, names }: TranscriptPrinter,
): TranscriptLine[] {
  const { status, phoneCallStatus, callEndTriggerBy } = change
  const facts = [
    status,
    ...(change.ended === true && !isEndingWord(status) ? ['ended'] : []),
    ...(typeof phoneCallStatus === 'string' ? [phoneCallStatus] : []),
    ...(typeof callEndTriggerBy === 'string' ? [`ended by ${callEndTriggerBy}`] : []),
  ].join(' · ')
  const cells = [...time, rule]
  // In compact mode a long id must not hide the status.
  const room = width - measureCells(cells) - widthOf(` · ${status}`)
  const name = compact ? cut(escapeForTerminal(title), Math.max(minNameColumns, room)) : title
  const style = getStatusStyle(change)
  const isColored = names.live > 1 && !compact && style === dim
  // Colored like the call's tags, so that it is easy to find.
  const line = isColored
    ? {
        cells: [...cells, { words: name, columns: widthOf(name), gap: 1, style: color }],
        words: `· ${facts}`,
        style,
      }
    : { cells, words: `${name} · ${facts}`, style }
  return [line, ...analysisLines(change.analysis ?? {}, time)]
}

/** Highlights unanswered calls. */
function getStatusStyle({ ended, status, phoneCallStatus }: StatusChange): (words: Text) => Text {
  const statuses = [{ status, phoneCallStatus: phoneCallStatus ?? null }]
  const outcome = getOutcome({ ended: ended === true, messages: [], statuses })
  if (!isUnanswered(outcome)) return dim
  return outcome === 'failed' ? red : yellow
}

const minNameColumns = 8

const rule: Cell = { words: '──', columns: 2, gap: 1, style: dim }

function analysisLines(
  analysis: Readonly<Record<string, unknown>>,
  front: readonly Cell[],
): TranscriptLine[] {
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
