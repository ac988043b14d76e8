import { createTranscriptPrinter, renderMessage, renderTailEvent } from '../../../events/transcript/index.ts'
import { byCase } from '../../../lib/by-case.ts'
import { isObject } from '../../../lib/json.ts'
import { excerpt, hang, inColumns, labelWidth, plain } from '../../../lib/text/layout.ts'
import { cyan, dim, green, join, red, type Text, text } from '../../../lib/text/text.ts'
import type { ChatEvent } from './chat-events.ts'

/** In front of the line that the caller types, as wide as in the transcript. */
export const callerPrompt: Text = text`${green(inColumns('user', labelWidth))}  `

/** One event as the caller reads it; what is not speech is dimmed. Width in columns. */
export function renderChatEvent(event: ChatEvent, width: number): Text {
  return byCase('kind', event, {
    message(event) {
      const message = renderMessage(event, width)
      return event.interrupted === true ? join([message, aside('(cut short)', width)]) : message
    },
    status: event => status(event, width),
    'tool-started': ({ run }) => aside(`→ ${run.name} ${shortJson(run.arguments)}`, width),
    'tool-ended'({ result: { name, content, failure, simulated } }) {
      const result = failure === undefined ? excerpt(content) : `failed: ${failure}`
      return aside(`← ${name} ${result}${simulated === true ? ' (simulated)' : ''}`, width)
    },
    failure: ({ part, message }) => afterLabel(red, part, message, width, dim),
  })
}

/** Renders the unfinished reply of the assistant. */
export function renderDraft(words: string, width: number): Text {
  return words.trim() === '' ? '' : afterLabel(cyan, 'assistant', words.trim(), width, plain)
}

function status(event: Extract<ChatEvent, { kind: 'status' }>, width: number): Text {
  const { callId, record } = event
  const { callEndTriggerBy, analysis, forwardedTo } = record
  const forwarded = record.status === 'forwarded'
  const line = renderTailEvent(
    {
      kind: 'status',
      callId,
      status: forwarded ? record.status : event.status,
      ...(typeof callEndTriggerBy === 'string' ? { callEndTriggerBy } : {}),
      ...(isObject(analysis) ? { analysis } : {}),
    },
    createTranscriptPrinter(width),
  )
  if (!forwarded || !isObject(forwardedTo)) return line ?? ''
  const target = Object.values(forwardedTo).filter(part => typeof part === 'string')
  return join([line ?? '', aside(`forwarded to ${target.join(' ')}`, width)])
}

type Style = (words: Text) => Text

function afterLabel(color: Style, label: string, words: string, width: number, style: Style): Text {
  return hang(text`${color(inColumns(label, labelWidth))}  `, labelWidth + 2, words, width, style)
}

function aside(words: string, width: number): Text {
  return hang(' '.repeat(labelWidth + 2), labelWidth + 2, words, width, dim)
}

function shortJson(value: unknown): string {
  return excerpt(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
