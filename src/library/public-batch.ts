/** Public types of batches. Self-contained, because they are published unchanged. */

import type { JsonObject } from './public-types.ts'

/** A row of a list: cells by column. */
export type BatchRow = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Outcome of a call, from its webhook events. */
export type CallOutcome =
  | 'answered'
  | 'forwarded'
  | 'voicemail'
  | 'no-answer'
  | 'busy'
  | 'failed'
  /** No known word, or no event for a long time. */
  | 'unclear'

/** Outcome of an attempt: that of its call, or of a request without one. */
export type AttemptOutcome =
  | CallOutcome
  /** Placed; the outcome is not known, or not yet. */
  | 'placed'
  | 'rejected'
  /** The person may have been called, and is not called again without `resendUnknown`. */
  | 'unknown'

/** Status of a person. */
export type PersonStatus =
  | AttemptOutcome
  | 'opted-out'
  | 'skipped'
  | 'removed'
  /** Another call is planned for a time. */
  | 'waiting'
  /** Not called yet. */
  | 'due'

/** Why a person is called: for the first time, after an outcome of `retry.on`, as promised, or again by request. */
export type CallReason = 'first' | 'retry' | 'callback' | 'again'

/** Settings of a batch, as in a batch file (docs/batch-calls.md). */
export interface BatchSettings {
  /** Number that the calls come from, or several, each with an optional limit. */
  readonly from:
    | string
    | readonly (string | { readonly number: string; readonly calls?: number | undefined })[]
  /** Columns by their use; common names are recognized. */
  readonly columns?:
    | {
        /** Several columns in the order in which they are called. */
        readonly to?: string | readonly string[] | undefined
        readonly name?: string | undefined
        readonly timezone?: string | undefined
        readonly id?: string | undefined
        readonly consent?: string | undefined
      }
    | undefined
  /** Country of numbers without a country code, such as `US`. */
  readonly defaultCountry?: string | undefined
  /** Values of variables for all calls. A column takes precedence unless its cell is empty. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  /** When people may be called. Default: at any time. */
  readonly window?:
    | {
        /** Days of the week, such as `mon-fri`. Default: every day. */
        readonly days?: string | undefined
        /** Times of day, such as `09:00-12:00,13:00-18:00`. Default: all day. */
        readonly hours?: string | undefined
        /** Time zone of days and hours. Default: `contact`, that of each person. */
        readonly timezone?: string | undefined
        /** Time zone of people without one. */
        readonly otherwise?: string | undefined
        /** Days without calls, such as `2026-12-25`. */
        readonly except?: readonly string[] | undefined
      }
    | undefined
  /** No call begins at or after this time: `2026-12-01T18:00[America/New_York]` or `2026-12-01T18:00:00Z`. */
  readonly until?: string | undefined
  /** Maximum number of calls at the same time. Requires `events`. */
  readonly concurrency?: number | undefined
  /** Maximum number of calls that begin in a second, minute or hour, such as `20/min`. */
  readonly rate?: string | undefined
  /** Further attempts. Requires `events`. */
  readonly retry?:
    | {
        /** Default: `no-answer` and `busy`. */
        readonly on?: readonly ('no-answer' | 'busy' | 'failed' | 'voicemail')[] | undefined
        /** Maximum number of calls to a person, the first included. */
        readonly attempts: number
        /** Time before the next attempt, such as `30m`, or one for each. Default: `1h`. */
        readonly after?: string | readonly string[] | undefined
      }
    | undefined
  /** Field of the analysis with the time at which a person asked to be called back. Requires `events`. */
  readonly callback?: string | { readonly field: string; readonly attempts?: number | undefined } | undefined
  /** Opt-outs, besides common phrases. `false` turns the search off. */
  readonly optOut?:
    | false
    | { readonly field?: string | undefined; readonly phrases?: readonly string[] | undefined }
    | undefined
  /** Pause after this number of finished calls. */
  readonly first?: number | undefined
  /** Pause when too many recent calls have an outcome: `failed > 20% of last 50`. Requires `events`. */
  readonly stopWhen?: string | readonly string[] | undefined
  /** Limits of the whole batch, all runs together. `minutes` requires `events`. */
  readonly limit?: { readonly calls?: number | undefined; readonly minutes?: number | undefined } | undefined
  /** Custom data of each call, beside `person` and `attempt`. */
  readonly metadata?: JsonObject | undefined
}

/** People and settings of a batch. */
export interface BatchOptions extends BatchSettings {
  readonly people: readonly BatchRow[]
  /** Numbers that are never called. */
  readonly doNotCall?: readonly string[] | undefined
  /** Variables in the texts of the assistant: each must have a value, and no others are passed on. Default: not checked. */
  readonly usedVariables?: readonly string[] | undefined
}

export interface PlanBatchOptions extends BatchOptions {
  /** Default: the current time. */
  readonly now?: Date | undefined
}

/** One finding about a batch or one of its rows. */
export interface BatchFinding {
  /** Stable, kebab-case: `invalid-number`, `duplicate-person`, `missing-timezone`, `window-stays-closed`… */
  readonly code: string
  readonly severity: 'error' | 'warning'
  /** Index in `people`; undefined where the finding is about the batch as a whole. */
  readonly row?: number | undefined
  /** Name of the column. */
  readonly column?: string | undefined
  /** Option that the finding is about, such as `until` or `doNotCall[2]`; undefined for a row. */
  readonly field?: string | undefined
  readonly message: string
  /** Next step. */
  readonly hint?: string | undefined
}

/** A person to call. */
export interface BatchPerson {
  /** The id column, or else the first number. */
  readonly id: string
  /** E.164, in the order in which they are called. */
  readonly numbers: readonly string[]
  /** `UTC` without a window. */
  readonly timezone: string
  /** Values of the variables of a call. */
  readonly variables: Readonly<Record<string, string>>
  /** Index in `people`. */
  readonly row: number
}

/** A person who may be called next. */
export interface BatchCandidate extends BatchPerson {
  /** Number of calls to the person so far. */
  readonly attempts: number
}

/** Number of rows that are not called, by the reason. */
export interface SkippedRows {
  /** With an error. */
  readonly invalid: number
  readonly duplicate: number
  readonly doNotCall: number
}

/** Calls of a batch before any is placed. Plain JSON; times are ISO 8601. */
export interface BatchPlan {
  /** Errors that prevent the whole batch. */
  readonly problems: readonly BatchFinding[]
  /** Warnings, and errors of rows, which are not called. At most 100 of each code: see `findingCounts`. */
  readonly findings: readonly BatchFinding[]
  /** Number of findings about rows by code. */
  readonly findingCounts: Readonly<Record<string, number>>
  readonly people: readonly BatchPerson[]
  readonly skipped: SkippedRows
  /** Number of calls within the limits: the first to each person, and with all attempts. */
  readonly calls: { readonly first: number; readonly most: number }
  /** Time that these calls need at `rate`, in milliseconds; undefined without a rate. */
  readonly leastMs?: { readonly first: number; readonly most: number } | undefined
  /** The zone that opens first is the first one. */
  readonly zones: readonly {
    readonly timezone: string
    /** Number of people. */
    readonly people: number
    readonly opensAt: string
    /** Time in which they can be called before `until`, in milliseconds; undefined without `until`. */
    readonly openMs?: number | undefined
  }[]
  readonly until?: string | undefined
}

/** A call that is about to be placed. */
export interface BatchJob {
  /** Unique for this call: use it as an idempotency key if your service has them. */
  readonly key: string
  readonly person: BatchPerson
  readonly from: string
  readonly to: string
  /** Number of this call to the person, from 1. */
  readonly attempt: number
  /** `metadata` of the settings with `person` (the id) and `attempt`. */
  readonly metadata: JsonObject
}

/**
 * Error of `call`. Any other error has the outcome `unknown`: the person may have been called, and is not called again.
 */
export interface PlaceError {
  /**
   * `not-sent`: the service has certainly not placed the call. The run ends with this error, and the next run calls the person. With
   * `status` 429 or 503, the run waits and tries again. `rejected`: the service rejects this call. The person is not called, and the run
   * continues; it ends after five in a row. `unknown`: the response was lost. The run ends after three in a row.
   */
  readonly outcome: 'not-sent' | 'rejected' | 'unknown'
  /** Status of the HTTP response. */
  readonly status?: number | undefined
}

/** A person who does not want to be called again. */
export interface BatchOptOut {
  readonly person: string
  /** E.164. */
  readonly numbers: readonly string[]
  readonly call: string | null
  /** Words of the person, word of the service, or field of the analysis. */
  readonly words: string
}

interface CallEvent {
  readonly person: string
  readonly to: string
  readonly call: string | null
}

/** Event of a run. Times are ISO 8601. */
export type BatchRunEvent =
  | (CallEvent & { readonly kind: 'called'; readonly from: string; readonly why: CallReason })
  | {
      readonly kind: 'failed'
      readonly person: string
      readonly to: string
      readonly outcome: 'rejected' | 'unknown'
      readonly reason: string
    }
  | (CallEvent & { readonly kind: 'phase'; readonly phase: 'queued' | 'ringing' | 'talking' })
  /** The service has not begun the call for a long time; it may ring outside of the window. */
  | (CallEvent & { readonly kind: 'queued-long'; readonly seconds: number })
  /** `next` is the time of the next call; null if there is none. */
  | (CallEvent & {
      readonly kind: 'ended'
      readonly outcome: CallOutcome
      readonly seconds: number | null
      readonly endedBy: string | null
      readonly reason: string | null
      readonly next: string | null
    })
  | { readonly kind: 'opted-out'; readonly person: string; readonly words: string }
  | { readonly kind: 'skipped'; readonly person: string; readonly reason: string }
  /** The batch has paused itself. */
  | { readonly kind: 'stopped'; readonly by: 'first' | 'stopWhen'; readonly reason: string }
  /** Another process has asked for a change. */
  | {
      readonly kind: 'requested'
      readonly request: 'pause' | 'resume' | 'cancel' | 'add' | 'remove' | 'retry'
    }
  /** No call begins now. `until` is null while calls must end first. */
  | {
      readonly kind: 'waiting'
      readonly until: string | null
      readonly reason: 'window' | 'retry' | 'rate' | 'busy' | 'calls' | 'drain'
    }
  /** One of `events` is not the body of a webhook event. */
  | { readonly kind: 'unreadable'; readonly reason: string }

export interface RunBatchOptions extends BatchOptions {
  /** Folder of the journal, created with mode 0700: one for each batch. A later run with the same folder continues the batch. */
  readonly folder: string
  /** Name or URL of the service. A batch that was begun at another one is not continued. */
  readonly service: string
  /**
   * Places one call. It is in the journal before. Without an `id`, events are matched by both numbers.
   * @throws PlaceError
   */
  call(job: BatchJob): Promise<{ readonly id?: string | undefined }>
  /**
   * Bodies of webhook events as your server receives them, or a receiver of `receiveWebhooks`. Outcomes come from them; without them,
   * calls stay `placed`. Read from the start of the run to its end.
   */
  readonly events?: AsyncIterable<unknown> | undefined
  /** Outcomes that words of your deployment mean, by the field of the event. They take precedence. */
  readonly outcomes?:
    | Readonly<
        Partial<
          Record<
            'status' | 'phoneCallStatus' | 'callEndTriggerBy' | 'type',
            Readonly<Record<string, CallOutcome>> | undefined
          >
        >
      >
    | undefined
  /**
   * Decides who is called, for up to a hundred people at a time, at most five minutes before their call. Returns a verdict for each person,
   * in their order: `true` or `yes` calls the person, and anything else skips the person, with a text as the reason. An error ends the run.
   */
  check?(
    people: readonly BatchCandidate[],
  ): readonly (boolean | string)[] | Promise<readonly (boolean | string)[]>
  /**
   * Called when a person opts out, and at the start of each run for everybody who did before, so that a crash loses none. An error ends
   * the run.
   */
  onOptOut?(optOut: BatchOptOut): void | Promise<void>
  /** An error ends the run. */
  onEvent?(event: BatchRunEvent): void
  /** Pauses the run: no more calls begin, and calls in progress are awaited for `drainMs`. */
  readonly signal?: AbortSignal | undefined
  /** Continues a batch that is paused: by `first`, by `stopWhen`, or by a person. */
  readonly resume?: boolean | undefined
  /** Also calls people with the status `unknown`, who may have been called. */
  readonly resendUnknown?: boolean | undefined
  /** Milliseconds to wait for calls in progress after a pause. Default: 30,000. */
  readonly drainMs?: number | undefined
  /** Milliseconds without an event after which the outcome of a call is `unclear`. Default: 1,800,000. */
  readonly outcomeTimeoutMs?: number | undefined
}

/** A call to a person. Times are ISO 8601. */
export interface BatchAttempt {
  readonly key: string
  readonly at: string
  readonly from: string
  readonly to: string
  readonly why: CallReason
  /** Id of the call. */
  readonly call: string | null
  readonly outcome: AttemptOutcome
  readonly seconds: number | null
  readonly endedBy: string | null
  /** Why the request failed, or the outcome is unclear. */
  readonly reason: string | null
  readonly analysis: {
    readonly summary: string | null
    readonly success: string | null
    readonly structuredData: JsonObject | null
  } | null
}

/** A run that has ended, with all calls of the batch, including those of earlier runs. */
export interface BatchResult {
  /**
   * `done`: nobody is called again. `paused`: by the signal. `stopped`: by `first`, `stopWhen` or a person; continue with `resume`.
   * `ended`: by `until` or the window. `limit`: by `limit`, or the limits of `from`.
   */
  readonly end: 'done' | 'paused' | 'stopped' | 'cancelled' | 'ended' | 'limit'
  /** Why the batch was stopped. */
  readonly reason: string | null
  /** Number of people by status. */
  readonly counts: Readonly<Record<PersonStatus, number>>
  readonly skipped: SkippedRows
  readonly people: readonly {
    readonly id: string
    /** Index in `people` of the options. */
    readonly row: number
    readonly status: PersonStatus
    /** Time of the next call; null if there is none, or as soon as possible. */
    readonly next: string | null
    readonly attempts: readonly BatchAttempt[]
  }[]
}
