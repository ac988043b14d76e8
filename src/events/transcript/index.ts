/** Transcripts: a call on a terminal, and as text, Markdown, HTML, CSV and JSON. */

export { callTable } from './call-table.ts'
export {
  callTimeline,
  findAnswers,
  firstWordMs,
  getLane,
  measureTimeline,
  type TimedItem,
  type Timeline,
} from './call-timeline.ts'
export {
  getCallDuration,
  getCallStart,
  isCall,
} from './call-words.ts'
export type { TranscriptFormat } from './document.ts'
export { jsonDocument, renderDocument } from './document.ts'
export type { TranscriptLook } from './terminal.ts'
export { createTranscriptPrinter, renderMessage, renderTailEvent } from './terminal.ts'
export { buildLegend, drawTimeline } from './timeline-drawing.ts'
export { maxDistanceMs, type TimestampFormat } from './transcript-times.ts'

/** Loads the terminal renderer, which a tail with JSON output does not need. */
export const loadTerminal = () => import('./terminal.ts')

/** Loads the style of drawn timelines, for documents and pages. */
export const loadTimelineStyle = async () => (await import('./timeline.css?text')).default
