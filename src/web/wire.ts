import type { TranscriptMessage, TranscriptStatus } from '../events/conversation/changes.ts'
import type { Delivery } from '../events/forward/delivery.ts'
import type { CallOutcome } from '../interface/words.ts'
import type { VNode } from '../lib/text/virtual-node.ts'
import type { BatchSummary } from './batch-wire.ts'

/** Messages between the page and its server. Strings are untrusted, as sent by the service. */

/** One row of the list. */
export interface CallSummary {
  readonly callId: string | null
  readonly conversation: number | null
  readonly customerName: string | null
  readonly userNumber: string | null
  readonly direction: string | null
  readonly startAt: string | null
  readonly endAt: string | null
  readonly assistantNumber: string | null
  readonly assistantName: string | null
  /** A number of ours: ids of calls have any length. */
  readonly key: number
  readonly status: string | null
  readonly phoneCallStatus: string | null
  readonly finished: boolean
  /** Null until it has ended. */
  readonly outcome: CallOutcome | null
  /** Result of the analysis; empty if there is none. */
  readonly success: string
  readonly messages: number
  /** 0 on the page of a sandbox, which is not sent any. */
  readonly events: number
  /** Deliveries to forward targets that failed and were not repeated with success. */
  readonly failedDeliveries: number
  /** Last message. */
  readonly last: { readonly role: string; readonly text: string } | null
  /** Arrival of its first and last event, milliseconds since the epoch. */
  readonly firstAt: number
  readonly lastAt: number
}

export interface PageMessage extends TranscriptMessage {
  /** Place in the transcript, from 0. */
  readonly index: number
  /** Characters that were cut off its end. */
  readonly cut: number
  /** The other side stopped it; only a sandbox knows. */
  readonly interrupted?: boolean
}

export interface ShownDeliveries {
  /** Number of the event, from 1, of its call. */
  readonly number: number
  /** To the forward targets that get the event; empty where nothing is forwarded. */
  readonly deliveries: readonly ShownDelivery[]
}

export interface ShownEvent extends ShownDeliveries {
  readonly type: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly bytes: number
  /** Things that were new in it; null if nobody looked. */
  readonly news: number | null
  /** Unreadable parts with their paths: `call.status is an object`. */
  readonly odd: readonly string[]
  readonly contentType: string
}

export type ShownDelivery = Delivery & {
  /** Number of the target, from 1. */
  readonly target: number
}

/** Changes of the selected call; with `whole`, its complete state. */
export interface CallDetail {
  readonly key: number
  readonly whole: boolean
  /** Label and value, in the order in which they are shown. */
  readonly facts: readonly (readonly [string, string])[]
  /** New and edited ones. */
  readonly messages: readonly PageMessage[]
  /** Messages that events carried and the tail does not keep. */
  readonly missing: number
  /** Items among the messages that are none. */
  readonly malformed: number
  readonly statuses: readonly TranscriptStatus[]
  /** Undefined unless it is new. */
  readonly analysis: Readonly<Record<string, unknown>> | undefined
  readonly events: readonly ShownEvent[]
  /** Deliveries of earlier events that changed. */
  readonly deliveries: readonly ShownDeliveries[]
  /** Number of the first event whose body is still kept. */
  readonly firstEvent: number
}

/** One message of the event stream. */
export interface Batch {
  /** Counts every change; the next stream may begin `since` it. */
  readonly version: number
  /** True if `calls` is the complete list. */
  readonly whole: boolean
  readonly calls: readonly CallSummary[]
  readonly gone: readonly number[]
  /** Calls that are no longer kept, since the tail began. */
  readonly dropped: number
  readonly detail: CallDetail | undefined
  /** The selected call is no longer kept. */
  readonly selectionGone: boolean
  /** Undefined unless they changed. */
  readonly rules: ShownRules | undefined
}

/** The rules of a guard. */
export interface ShownRules {
  /** Rules that are firing. */
  readonly firing: number
  readonly drawing: readonly VNode[]
}

/** Figures about the calls. A button with `data-call` leads to the call with this key, or on the page of a sandbox with this id. */
export interface ShownFigures {
  readonly drawing: readonly VNode[]
}

/** The first message of a stream. */
export interface StreamOpened {
  /** Tells one run of a tail from the next. */
  readonly run: string
  /** Path of the event listener. */
  readonly eventPath: string
  /** Name of the stream whose events are shown; null for those of the listener. */
  readonly stream: string | null
  /** The header that this listener requires of events. */
  readonly requiredHeader: string | null
  readonly targets: readonly ShownTarget[]
  readonly hints: PageHints
}

/** Hints about the command line, from the command that opened the page. */
export interface PageHints {
  /** Flag that adds forward targets. */
  readonly forward: string
  /** The command that sends the events of a sample call to `{address}`. */
  readonly trigger: string
  /** The command that opens the page. */
  readonly pageCommand: string
}

export interface ShownAddress {
  /** Without its query, which may hold a secret. */
  readonly url: string
  /** Only names, because values may be secret. */
  readonly headers: readonly string[]
}

export interface ShownTarget extends ShownAddress {
  /** From 1. */
  readonly number: number
  readonly type: string | null
}

export interface ResendResult {
  /** Without its query. */
  readonly url: string
  /** Response of any status, or the reason that there is none. */
  readonly outcome:
    | { readonly status: number; readonly body: string; readonly milliseconds: number }
    | { readonly reason: string; readonly milliseconds: number }
}

/** The first message of a stream of a batch page. */
export interface BatchPageOpened {
  /** Tells one run of a batch from the next. */
  readonly run: string
}

/** State of a batch of calls, as its page receives it. */
export interface ShownBatch extends BatchSummary {
  /** Number of calls in progress. `live` contains the first of them. */
  readonly liveTotal: number
}
