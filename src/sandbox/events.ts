import type { CallObservation, ToolResult } from '../files/formats/call-observation.ts'
import type { RequestSummary, WebhookSummary } from '../files/formats/control-api.ts'
import type { Role } from './engine/call-state.ts'
import type { KnowledgeSearch } from './tools/knowledge.ts'

/**
 * Events of a call for tests, with times and details that records do not keep. Times are milliseconds since the epoch on the call's
 * clock.
 */
export type CallTrace = {
  readonly callId: string
} /** The caller takes the next turn of the script, or what came by the control URL. */ & (
  | { readonly kind: 'caller-began'; readonly at: number }
  /** The caller has pressed the keys, or was silent for the given time. */
  | { readonly kind: 'caller-paused'; readonly at: number }
  /** Either side has fallen silent. */
  | {
      readonly kind: 'said'
      readonly role: Role
      /** Complete text. */
      readonly text: string
      /** Part that was not cut off. */
      readonly heard: string
      readonly from: number
      readonly until: number
      /** True if the sandbox said that it does not know. */
      readonly fallback: boolean
    }
  | ({ readonly kind: 'searched'; readonly at: number } & KnowledgeSearch)
  | ({ readonly at: number } & Extract<CallObservation, { kind: 'tool-started' | 'failure' }>)
  /** Sent twice for an asynchronous tool: when accepted, and when done. `at` is undefined if the call had ended before. */
  | { readonly kind: 'tool-ended'; readonly at: number | undefined; readonly result: ToolResult }
  /** A fault of the sandbox itself ended the call. */
  | { readonly kind: 'broke'; readonly message: string }
)

/** Event of a known call. */
export type WithoutCall<Event> = Event extends unknown ? Omit<Event, 'callId'> : never

export type WorldEvent =
  | { readonly kind: 'call'; readonly observation: CallObservation }
  /** A response was sent. */
  | { readonly kind: 'request'; readonly request: RequestSummary }
  /** New state: waiting, sent, delivered or hit by a fault. */
  | { readonly kind: 'webhook'; readonly webhook: WebhookSummary }
  | { readonly kind: 'faults' }
  /** Another clock, other records: what was known of them is out of date. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'restored' }
  /** It passes in another way, or was moved. */
  | { readonly kind: 'clock' }
  /** Nothing more happens. */
  | { readonly kind: 'closed' }
