import type { Change, StatusChange } from '../../../src/events/conversation/index.ts'
import {
  createTranscriptPrinter,
  renderTailEvent,
  type TranscriptLook,
} from '../../../src/events/transcript/index.ts'
import { paint } from '../../../src/lib/text/text.ts'

type AnyEvent = Parameters<typeof renderTailEvent>[0]

/** Time of the events that have none. */
export const ten = Date.parse('2026-03-01T10:00:00.000Z')

/** Returns a function that shows events without colors; calls are named as they appear. */
export function shower(
  terminal: number | { readonly width: number },
  look: Partial<TranscriptLook> = {},
): (event: AnyEvent) => string {
  const view = createTranscriptPrinter(terminal, { now: () => ten, ...look })
  return event => paint(renderTailEvent(event, view) ?? '', { color: false })
}

/** Shows events of CC-1, which was named before. */
export function showerOfCall(width: number, look: Partial<TranscriptLook> = {}) {
  const show = shower(width, look)
  show(status('CC-1', 'ongoing'))
  return show
}

export function said(
  role: string,
  text: string,
  { callId = 'CC-1', timestamp }: { callId?: string; timestamp?: string } = {},
) {
  return { kind: 'message', callId, messageId: 'm1', role, text, timestamp } as const
}

export function edited(role: string, text: string, before?: string): Change {
  return { kind: 'edit', callId: 'CC-1', messageId: 'm1', role, text, timestamp: undefined, before }
}

export function status(callId: string, word: string, more: Partial<StatusChange> = {}): StatusChange {
  return { kind: 'status', callId, status: word, ...(word === 'finished' && { ended: true }), ...more }
}
