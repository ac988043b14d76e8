import type { StatusChange } from '../webhook/changes.ts'
import type { TailEvent } from '../webhook/tail.ts'
import { excerpt, hang, inColumns, labelWidth, plain } from './layout.ts'
import { bold, cyan, dim, green, join, magenta, type Text, text, yellow } from './text.ts'

/** What a transcript needs to know besides the event. */
export interface TranscriptView {
  /** Columns. */
  readonly width: number
  /** Calls that are going on; renderTailEvent keeps it. With more than one, lines carry a tag of their call. */
  readonly live: Set<string>
}

export function createTranscriptView(width: number): TranscriptView {
  return { width, live: new Set() }
}

/** One event of a tail as a person reads it; undefined for what is not part of a transcript. */
export function renderTailEvent(event: TailEvent, view: TranscriptView): Text | undefined {
  if ('callId' in event && event.callId !== null) view.live.add(event.callId)
  switch (event.kind) {
    case 'message':
      return spoken(event.role, event.text, gutterOf(event, view))
    case 'edit':
      return join(
        [
          spoken(event.role, event.text, gutterOf(event, view)),
          ...(event.before === undefined
            ? [aside('(edited)', gutterOf(event, view))]
            : [aside(`(edited, was: ${event.before})`, gutterOf(event, view))]),
        ],
        '\n',
      )
    case 'status':
      return status(event, view)
    case 'event':
      return aside(
        `event ${event.type}: ${excerpt(JSON.stringify(event.event) ?? '')}`,
        gutterOf(event, view),
      )
    case 'malformed':
      return aside(
        `an item that is not a message: ${excerpt(JSON.stringify(event.item) ?? '')}`,
        gutterOf(event, view),
      )
    default:
      return undefined
  }
}

interface Gutter {
  readonly width: number
  readonly tag: Text
  readonly tagWidth: number
}

function gutterOf({ callId }: { callId: string | null }, { width, live }: TranscriptView): Gutter {
  if (live.size < 2) return { width, tag: '', tagWidth: 0 }
  const tag = inColumns(callId === null ? '-' : [...callId].slice(-6).join(''), 6)
  return { width, tag: text`${dim(tag)} `, tagWidth: 7 }
}

function spoken(role: string, words: string, gutter: Gutter): Text {
  const label = colorOf(role)(inColumns(role, labelWidth))
  return hang(text`${gutter.tag}${label}  `, gutter.tagWidth + labelWidth + 2, words, gutter.width, plain)
}

function aside(words: string, gutter: Gutter): Text {
  const indent = gutter.tagWidth + labelWidth + 2
  return hang(text`${gutter.tag}${' '.repeat(labelWidth + 2)}`, indent, words, gutter.width, dim)
}

function status(change: StatusChange, view: TranscriptView): Text {
  const { callId, status: name, phoneCallStatus, callEndTriggerBy, analysis } = change
  if (name === 'finished' && callId !== null) view.live.delete(callId)
  const facts = [
    name,
    ...(typeof phoneCallStatus === 'string' ? [phoneCallStatus] : []),
    ...(typeof callEndTriggerBy === 'string' ? [`ended by ${callEndTriggerBy}`] : []),
  ]
  const line = hang(dim('── '), 3, `${callId ?? 'call without id'} · ${facts.join(' · ')}`, view.width, dim)
  return analysis === undefined ? line : join([line, ...analysisLines(analysis, view.width)], '\n')
}

/** The three fields of interface.md 2.4 by name, whatever else there is after them. */
function analysisLines(analysis: Readonly<Record<string, unknown>>, width: number): Text[] {
  const { summary, successEvaluation, structuredData, ...rest } = analysis
  const named = { summary, success: successEvaluation, data: structuredData, ...rest }
  return Object.entries(named)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const words = typeof value === 'string' ? value : JSON.stringify(value)
      return hang(text`   ${bold(inColumns(name, labelWidth))}  `, labelWidth + 5, words, width, plain)
    })
}

function colorOf(role: string): (label: Text) => Text {
  if (role === 'assistant') return cyan
  if (role === 'user') return green
  return role === 'unknown' ? yellow : magenta
}
