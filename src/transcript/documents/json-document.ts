import type { CallTranscript } from '../../webhook/conversation/call-transcript.ts'

/** The documented shape of `webhook show --json`. */
export interface TranscriptDocument {
  readonly version: 1
  readonly calls: readonly CallTranscript[]
}

export function jsonDocument(calls: readonly CallTranscript[]): TranscriptDocument {
  return { version: 1, calls }
}
