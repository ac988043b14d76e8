import type { CallPhase, WaitReason } from '../calls/batch/run/run-events.ts'
import type { CallKind } from '../files/formats/batch.ts'

/** State of a batch of calls, as its page and the page of a sandbox show it. Strings are untrusted. Times are milliseconds since the epoch. */

/** Number of people with one status of `batch status`. */
export interface StatusCount {
  readonly status: string
  readonly people: number
}

/** A call in progress. */
export interface LiveBatchCall {
  readonly person: string
  readonly number: string
  readonly from: string
  /** Null until the service has responded. */
  readonly call: string | null
  readonly phase: CallPhase
  readonly startedAt: number
  readonly last: { readonly role: string; readonly text: string } | null
}

/** Reason that no call begins, or the end of the run. */
export interface BatchPause {
  readonly reason: WaitReason | 'paused' | 'ended'
  /** Sentence for people, such as `paused after 50 finished calls`. */
  readonly text: string
  /** When calls continue; null if a person must act, or if the batch has ended. */
  readonly until: number | null
}

/** One batch now. */
export interface BatchSummary {
  readonly name: string
  /** Profile or base URL. */
  readonly service: string
  readonly isSandbox: boolean
  readonly assistant: string
  readonly people: number
  /** Statuses in display order; their numbers add up to `people`. */
  readonly counts: readonly StatusCount[]
  /** People who are not called again: the part of `people` that is done. */
  readonly done: number
  /** Calls placed so far. */
  readonly calls: number
  /** Seconds of all ended calls. */
  readonly seconds: number
  readonly live: readonly LiveBatchCall[]
  readonly pause: BatchPause | null
  /** Estimated remaining time in milliseconds; null if unknown. */
  readonly remainingMs: number | null
  /** Increases with every change. */
  readonly version: number
}

/** One call to a person. */
export interface BatchAttempt {
  readonly at: number
  readonly number: string
  readonly from: string
  readonly kind: CallKind
  readonly call: string | null
  /** Outcome, or `placed`, `rejected`, `unknown`. */
  readonly outcome: string
  readonly seconds: number | null
  readonly endedBy: string | null
  readonly reason: string | null
  readonly summary: string | null
}

/** A person of a batch. */
export interface BatchRow {
  readonly id: string
  readonly numbers: readonly string[]
  readonly status: string
  /** When this person is called next; null if never, or as soon as possible. */
  readonly nextAt: number | null
  readonly attempts: readonly BatchAttempt[]
}

export interface BatchRowQuery {
  /** Only people with this status. */
  readonly status?: string | undefined
  /** Only people whose id or number contains this text. */
  readonly search?: string | undefined
  /** Index of the first row among those that match. */
  readonly from: number
  readonly limit: number
}

export interface BatchRows {
  readonly total: number
  readonly rows: readonly BatchRow[]
}

/** A running batch, for its page. */
export interface BatchFeed {
  summary(): BatchSummary
  rows(query: BatchRowQuery): BatchRows
  /** Calls back after changes, at most a few times per second. Returns a function that stops it. */
  subscribe(onChange: () => void): () => void
}
