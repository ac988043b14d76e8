import { toJsonDocument } from '../../lib/text/escape.ts'
import type { Text } from '../../lib/text/text.ts'
import type { CallTranscript } from '../../webhook/index.ts'
import { htmlDocument } from './html-document.ts'
import { markdownDocument } from './markdown-document.ts'
import { showCall } from './shown-call.ts'
import { textDocument } from './text-document.ts'

export type TranscriptFormat = 'text' | 'markdown' | 'json' | 'html'

/** Calls as a document of this format, without a newline at its end. Width of text in columns. */
export function renderDocument(
  calls: readonly CallTranscript[],
  { format, width }: { readonly format: TranscriptFormat; readonly width: number },
): Text {
  if (format === 'json') return toJsonDocument(jsonDocument(calls))
  const shown = calls.map(showCall)
  if (format === 'markdown') return markdownDocument(shown)
  return format === 'html' ? htmlDocument(shown) : textDocument(shown, width)
}

/** The documented shape of `webhook show --json`. */
export interface TranscriptDocument {
  readonly version: 1
  readonly calls: readonly CallTranscript[]
}

export function jsonDocument(calls: readonly CallTranscript[]): TranscriptDocument {
  return { version: 1, calls }
}
