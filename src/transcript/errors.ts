import { errorsOf } from '../lib/error.ts'

/** What writing a document can fail for. */
export type TranscriptErrors = {
  'document-exists': { readonly path: string }
  'document-no-file': { readonly path: string }
  'document-not-written': { readonly path: string; readonly reason: string }
}

export const transcriptError = errorsOf<TranscriptErrors>()
