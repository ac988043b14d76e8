import { unansweredStatusOf } from '../interface/words.ts'
import { labelWidth, plain, widthOf } from '../lib/text/layout.ts'
import { bold, cyan, dim, green, join, magenta, red, type Text, yellow } from '../lib/text/text.ts'
import {
  type Change,
  callName,
  type EditChange,
  isEndingWord,
  type MessageChange,
  type StatusChange,
  type TailEvent,
} from '../webhook/index.ts'
import { createCallNames, createLiveCalls, tagWidth } from './call-names.ts'
import { analysisResults } from './call-words.ts'
import { eventWords, itemWords } from './shown-call.ts'
import { blank, type Cell, onOneLine, type TranscriptLine, wrapped } from './transcript-line.ts'
import { callKey, createTimes, type TimestampForm } from './transcript-times.ts'

/** How a transcript is to look. */
export interface TranscriptLook {
  /** Each message on one line. */
  readonly compact?: boolean | undefined
  readonly timestamps?: TimestampForm | undefined
  /** Milliseconds since the epoch: when the event that is being rendered arrived. */
  readonly now: () => number
}

export type TranscriptPrinter = ReturnType<typeof createTranscriptPrinter>

/**
 * What a transcript needs to know besides the event; renderTailEvent and passOver keep it. A number of columns that stays, or what is
 * asked for each event: a terminal may be resized.
 */
export function createTranscriptPrinter(
  terminal: number | { readonly width: number },
  { compact = false, timestamps = 'none', now }: TranscriptLook = { now: () => 0 },
) {
  return {
    /** Columns, now. */
    get width() {
      return typeof terminal === 'number' ? terminal : terminal.width
    },
    compact,
    times: createTimes(timestamps, now),
    /** Calls that are shown and going on. With more than one, lines carry a tag of their call. */
    live: createLiveCalls(),
    names: createCallNames(),
  }
}

/** One event of a tail as a person reads it; undefined for what is not part of a transcript. */
export function renderTailEvent(event: TailEvent, view: TranscriptPrinter): Text | undefined {
  if (!isChange(event)) {
    forgetEnded(event, view)
    return undefined
  }
  const key = callKey(event)
  if (key !== '-') view.live.add(key)
  const time = timeCell(event, view)
  const begin = beginning(event, time.map(blank), view)
  const front = event.kind === 'status' ? time : [...time, ...tagCell(event, view)]
  forgetEnded(event, view)
  const put = view.compact ? onOneLine : wrapped
  return join(
    [...begin, ...linesOf(event, front, view)].map(line => put(line, view.width)),
    '\n',
  )
}

/** An event that is not to be shown: its call may have begun or ended with it. */
export function passOver(event: TailEvent, view: TranscriptPrinter): void {
  forgetEnded(event, view)
  if (isChange(event)) timeCell(event, view)
}

function isChange(event: TailEvent): event is Change {
  return 'callId' in event && event.kind !== 'ended'
}

function forgetEnded(event: TailEvent, { live }: TranscriptPrinter): void {
  const isEnd = event.kind === 'ended' || (event.kind === 'status' && event.ended === true)
  if (isEnd) live.remove(callKey(event))
}

/** A call that begins after others, and neither by its status nor with a tag, is named on a line of its own. */
function beginning(
  event: Change,
  front: readonly Cell[],
  { names, live }: TranscriptPrinter,
): TranscriptLine[] {
  const key = callKey(event)
  if (key === '-' || names.has(key)) return []
  names.add(key, event.callId, nameWithoutId(event))
  const isNamed = names.size === 1 || event.kind === 'status' || (event.callId !== null && live.size > 1)
  return isNamed ? [] : [{ cells: [...front, rule], words: names.get(key) ?? '', style: dim }]
}

function timeCell(event: Change, { times }: TranscriptPrinter): Cell[] {
  const hasTimestamp = event.kind === 'message' || event.kind === 'edit'
  const words = times.of(event, hasTimestamp ? event.timestamp : undefined)
  return times.columns === 0 ? [] : [{ words, columns: times.columns, gap: 1, style: dim }]
}

function tagCell(event: Change, { live, names }: TranscriptPrinter): Cell[] {
  if (live.size < 2) return []
  const { callId, conversation = null } = event
  const words =
    callId === null ? callName({ callId, conversation }) : live.tagOf(names.get(callKey(event)) ?? callId)
  return [{ words, columns: Math.max(tagWidth, widthOf(words)), gap: 1, style: dim }]
}

function linesOf(event: Change, front: readonly Cell[], view: TranscriptPrinter): TranscriptLine[] {
  switch (event.kind) {
    case 'message':
      return [spoken(event, front)]
    case 'edit': {
      const line = spoken(event, front)
      if (view.compact) return [{ ...line, words: `(edited) ${line.words}` }]
      const was = event.before === undefined ? '(edited)' : `(edited, was: ${event.before})`
      return [line, aside(was, front.map(blank))]
    }
    case 'status':
      return [statusLine(event, front, view), ...analysisLines(event.analysis ?? {}, front)]
    case 'event':
      return [aside(eventWords(event), front)]
    case 'malformed':
      return [aside(itemWords(event.path, event.item), front)]
  }
}

function spoken({ role, text: words }: MessageChange | EditChange, front: readonly Cell[]): TranscriptLine {
  const label = { words: role, columns: labelWidth, gap: 2, style: colorOf(role) }
  return { cells: [...front, label], words, style: plain }
}

function aside(words: string, front: readonly Cell[]): TranscriptLine {
  return { cells: [...front, { words: '', columns: labelWidth, gap: 2, style: dim }], words, style: dim }
}

function statusLine(change: StatusChange, front: readonly Cell[], view: TranscriptPrinter): TranscriptLine {
  const { compact, width, live, names } = view
  const { callId, status: name, phoneCallStatus, callEndTriggerBy } = change
  const facts = [
    name,
    ...(change.ended === true && !isEndingWord(name) ? ['ended'] : []),
    ...(typeof phoneCallStatus === 'string' ? [phoneCallStatus] : []),
    ...(typeof callEndTriggerBy === 'string' ? [`ended by ${callEndTriggerBy}`] : []),
  ].join(' · ')
  // On one line the status must not be what is cut away behind a long id.
  const shown = names.get(callKey(change)) ?? nameWithoutId(change)
  const isLong = compact && callId !== null && shown.length + facts.length + rule.columns + 4 > width
  const call = isLong ? `…${live.tagOf(shown)}` : shown
  return { cells: [...front, rule], words: `${call} · ${facts}`, style: styleOf(change) }
}

/** A call that was not answered stands out. */
function styleOf({ ended, status, phoneCallStatus }: StatusChange): (words: Text) => Text {
  const unanswered =
    ended === true ? (unansweredStatusOf(phoneCallStatus) ?? unansweredStatusOf(status)) : undefined
  if (unanswered === undefined) return dim
  return unanswered === 'failed' ? red : yellow
}

function nameWithoutId({ conversation = 1 }: Change): string {
  return conversation === 1 ? 'call without id' : `call ${conversation} without id`
}

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
