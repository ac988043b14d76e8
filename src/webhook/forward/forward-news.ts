/** What a person should know of forwarding. Targets are named by their address without its query. */
export type ForwardNews =
  | ForwardFailure
  /** It refuses connections; what is for it waits. */
  | { readonly kind: 'forward-down'; readonly target: string }
  | { readonly kind: 'forward-up'; readonly target: string; readonly waiting: number }
  /** Left by an earlier process. */
  | {
      readonly kind: 'forward-left'
      readonly target: string
      readonly type: string | null
      readonly events: number
      readonly resumed: boolean
    }
  | { readonly kind: 'forward-unreadable'; readonly path: string }
  /** Events wait in memory alone. */
  | { readonly kind: 'forward-unkept'; readonly since: string; readonly reason: string }
  | { readonly kind: 'forward-kept-again' }
  /** Events are accepted that no target will get: too much waits already, or the disk fails and memory is full. */
  | { readonly kind: 'forward-dropped'; readonly since: string; readonly why: 'full' | 'disk' }

/** A target answered other than 2xx, or not at all. */
export interface ForwardFailure {
  readonly kind: 'forward-failed'
  readonly target: string
  readonly callId: string | null
  readonly type: string
  /** When the event arrived, ISO 8601. */
  readonly at: string
  readonly status?: number
  /** Why there is no answer. */
  readonly reason?: string
  readonly milliseconds: number
  /** The beginning of the answer. */
  readonly body?: string
}

export interface TargetTotals {
  readonly target: string
  readonly type: string | null
  /** Answered 2xx. */
  readonly delivered: number
  /** Answered otherwise, or not at all; not tried again. */
  readonly failed: number
  /** Not sent, or broken off at the end. */
  readonly undelivered: number
  /** Of the undelivered, those that are kept nowhere. */
  readonly lost: number
}

export interface ForwardTotals {
  readonly targets: readonly TargetTotals[]
  /** Events that were not queued, once for each of their targets. */
  readonly dropped: number
  /** Deliveries that could not be noted: --resume would repeat them. */
  readonly unwritten: number
}
