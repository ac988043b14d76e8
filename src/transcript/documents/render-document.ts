import { toJsonDocument } from '../../lib/text/escape.ts'
import type { Text } from '../../lib/text/text.ts'
import type { CallTranscript } from '../../webhook/conversation/call-transcript.ts'
import { htmlDocument } from './html-document.ts'
import { jsonDocument } from './json-document.ts'
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
