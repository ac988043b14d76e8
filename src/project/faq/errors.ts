import type { Address } from '../../files/formats/address.ts'
import { type CallyardError, defineErrors } from '../../lib/error.ts'
import type { Immutable } from '../../lib/json.ts'
import type { OtherRun } from '../lockfile/index.ts'

/** Errors of a push of entries: each code with its details. */
export type FaqErrors = Immutable<{
  'file-gone': { file: string }
  'file-changed': { file: string }
  'ledger-unreadable': { path: string }
  'ledger-damaged': { path: string }
  'push-locked': { file: string; holder: OtherRun | undefined }
  'batch-closed': Record<string, never>
  'batch-ids': BatchIdFault
  /** The response was lost, so the service may or may not have the batch. */
  'answer-lost': UnknownBatch
  /** The service has the batch, but its response does not identify the ids. */
  'answer-unclear': UnknownBatch
  /** An earlier push left a batch whose outcome at the service is unknown. */
  'batch-open': UnknownBatch
  /** The service has the batch, and its ids could be kept nowhere but here. */
  'ids-not-kept': { file: string; unknown: UnknownEntry[] }
  'ids-not-written': { file: string; count: number; keptIn: string }
  'update-not-recorded': { count: number }
  /** Rejected updates, by the ids in the file. `isNamed`: the file names its knowledge base. */
  'entries-refused': {
    file: string
    knowledgeBaseId: string
    isNamed: boolean
    inProject: { address: Address; target: string } | undefined
    refused: (UnknownEntry & { id: string })[]
  }
  /** The file would be too large to read once all entries have ids. Sizes in MB. */
  'too-large-with-ids': { file: string; size: number; max: number }
  'forget-no-entry': { file: string; id: string; near: string | undefined }
  'other-push-open': { file: string; knowledgeBaseId: string; baseUrl: string }
  'push-cancelled': { done: number; total: number }
  'push-in-part': { done: number; total: number }
  /** The cause came before anything was sent; what an earlier push left is still in `pendingFile`. */
  'nothing-sent': { pendingFile?: string | undefined }
}>

/** Findings in a knowledge-base file that is pushed. */
export type FaqFindings = Immutable<{
  'no-place-for-id': { index: number; reason: NoIdSlotReason }
}>

/** Why an entry of a file cannot take an id. */
export type NoIdSlotReason =
  | 'unknown'
  | 'alias'
  | 'no-mapping'
  | 'empty'
  /** The id field has an unsupported form; an alias, anchor or tag; or an unresolved reference. */
  | 'id-form'
  | 'id-alias'
  | 'id-reference'

/** An entry of which it is not known whether the service has it. */
export interface UnknownEntry {
  readonly file?: string
  /** Current line, or the line when it was sent if it is no longer in the file. */
  readonly line: number | undefined
  /** Text in the file; undefined if it is no longer there. */
  readonly question: string | undefined
  /** Id from the service, if known. */
  readonly id?: string | undefined
}

type UnknownBatch = {
  readonly file: string
  readonly knowledgeBaseId: string
  readonly unknown: readonly UnknownEntry[]
  /** Set if the push was part of an apply. */
  readonly applied?: { readonly address: Address; readonly target: string }
}

/** Reason that ids given for a batch are rejected. */
export type BatchIdFault =
  | { readonly fault: 'empty' | 'mixed'; readonly file: string }
  | { readonly fault: 'malformed'; readonly file: string; readonly line: number }
  | { readonly fault: 'repeated'; readonly file: string; readonly line: number; readonly same: number }
  | { readonly fault: 'known'; readonly line: number; readonly id: string }
  | { readonly fault: 'not-open'; readonly line: number; readonly question: string | undefined }
  | { readonly fault: 'count'; readonly ids: number; readonly open: number }

export const faqError = defineErrors<FaqErrors>()

/** Nothing of this push was sent; leftovers of an earlier push are kept. */
export function nothingSent(error: CallyardError, pendingFile?: string): CallyardError {
  return faqError(error.kind, 'nothing-sent', { ...error.details, pendingFile }, error)
}
