/** Recordings of webhook events: written as they arrive, read back as events, calls and transcripts; compression, redaction. */
export {
  foldRecording,
  isRereadable,
  type RecordedCalls,
  readRecordedCalls,
  readRecording,
  readRecordingParts,
} from './read-recording.ts'
export type { Recorder, RecorderEvent, RecorderTotals } from './recorder.ts'
export {
  parseLine,
  type RecordedEvent,
  type RecordingItem,
  recordBody,
  recordedBytes,
  recordedEvents,
  redactRequest,
  type Secrecy,
  type SkippedLine,
  toRecordedLine,
} from './recording-file.ts'
export { type CallChoice, readCallKeys, selectCalls } from './select-calls.ts'
export { type PlayedRecording, playRecording, type SelectedEvent, type TimeBound } from './select-events.ts'

export const loadRecorder = () => import('./recorder.ts')
export const loadFollower = () => import('./follow-recording.ts')
