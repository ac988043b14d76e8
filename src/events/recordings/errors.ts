import { defineErrors } from '../../lib/error.ts'
import type { Clue } from '../../lib/text/wanted-words.ts'

export type RecordingErrors = {
  'cannot-record': { readonly path: string; readonly reason: string }
  /** Another tail records into the file; `pid` is its process, if known. */
  'recorded-elsewhere': { readonly path: string; readonly pid?: number | undefined }
  'not-a-recording': { readonly path: string }
  'recording-unreadable': { readonly path: string; readonly reason: string }
  /** A compressed recording ends in the middle, or holds other data. */
  'recording-damaged': { readonly path: string; readonly isTruncated: boolean }
  'recording-too-new': {
    readonly version: number
    readonly supported: number
    readonly file: string | undefined
    readonly line: number | undefined
  }
  /** Nothing of a recording matches; `absent` did not come at all. */
  'nothing-selected': {
    readonly events: number
    readonly absent?: ({ readonly filter: 'type' | 'call' } & Clue) | undefined
  }
  /** A beginning of the ids of several recorded calls. */
  'ambiguous-call': { readonly beginning: string; readonly ids: readonly string[] }
}

export const recordingError = defineErrors<RecordingErrors>()
