/** One model of a call, drawn on a terminal and as text, Markdown, HTML and JSON. */

export { callTable } from './call-table.ts'
export { callFacts, callLength, isCall, successOf, unansweredReasons } from './call-words.ts'
export type { TranscriptFormat } from './document.ts'
export { jsonDocument, renderDocument } from './document.ts'
export type { TranscriptLook } from './terminal.ts'
export { createTranscriptPrinter, renderMessage, renderTailEvent } from './terminal.ts'
export type { TimestampForm } from './transcript-times.ts'

/** A tail that prints JSON draws nothing. */
export const loadTerminal = () => import('./terminal.ts')
