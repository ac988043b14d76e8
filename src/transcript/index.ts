/** One model of a call, drawn on a terminal and as text, Markdown, HTML and JSON. */
export { isCall } from './call-words.ts'
export { callTable } from './documents/call-table.ts'
export type { TranscriptFormat } from './documents/render-document.ts'
export { jsonDocument, renderDocument } from './documents/render-document.ts'
export { writeDocument } from './documents/write-document.ts'
export type { TranscriptErrors } from './errors.ts'
export type { TranscriptLook } from './terminal.ts'
export { createTranscriptPrinter, renderTailEvent } from './terminal.ts'
export type { TimestampForm } from './transcript-times.ts'

/** A tail that prints JSON draws nothing. */
export const loadTerminal = () => import('./terminal.ts')
