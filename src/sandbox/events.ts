import type { CallObservation, ToolResult } from '../interface/call-observation.ts'
import type { RequestSummary, WebhookSummary } from '../interface/control-api.ts'
import { errorsOf } from '../lib/error.ts'
import type { Role } from './engine/call-state.ts'
import type { KnowledgeSearch } from './tools/knowledge.ts'

/**
 * What happens in a call, for a test of it: with its times, and what no record keeps. Times are milliseconds since the epoch, in the
 * time of the call.
 */
export type CallTrace = {
  readonly callId: string
} /** The caller takes the next turn of the script, or what came by the control URL. */ & (
  | { readonly kind: 'caller-began'; readonly at: number }
  /** The caller has pressed the keys, or was silent for as long as it was meant. */
  | { readonly kind: 'caller-paused'; readonly at: number }
  /** Either side has fallen silent. */
  | {
      readonly kind: 'said'
      readonly role: Role
      /** All that was about to be said. */
      readonly text: string
      /** What was not cut off. */
      readonly heard: string
      readonly from: number
      readonly until: number
      /** The sandbox says that it has no answer. */
      readonly fallback: boolean
    }
  | ({ readonly kind: 'searched'; readonly at: number } & KnowledgeSearch)
  | ({ readonly at: number } & Extract<CallObservation, { kind: 'tool-started' | 'failure' }>)
  /** Of an asynchronous tool twice: when it is accepted, and when it is done. Undefined: the call was over before. */
  | { readonly kind: 'tool-ended'; readonly at: number | undefined; readonly result: ToolResult }
  /** A fault of the sandbox itself ended the call. */
  | { readonly kind: 'broke'; readonly message: string }
)

/** What happens in a call that is known. */
export type WithoutCall<Event> = Event extends unknown ? Omit<Event, 'callId'> : never

/** What happens in a world, for a page or a program that follows it. */
export type WorldEvent =
  | { readonly kind: 'call'; readonly observation: CallObservation }
  /** It was answered. */
  | { readonly kind: 'request'; readonly request: RequestSummary }
  /** It waits, was sent, answered or struck by a fault. */
  | { readonly kind: 'webhook'; readonly webhook: WebhookSummary }
  /** Those in force changed. */
  | { readonly kind: 'faults' }
  /** Another clock, other records: what was known of them is out of date. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'restored' }
  /** It passes in another way, or was moved. */
  | { readonly kind: 'clock' }
  /** Nothing more happens. */
  | { readonly kind: 'closed' }

/** What a sandbox can fail for at its start: each code with its details. */
export type SandboxErrors = {
  /** Another process listens there. */
  'port-taken': { readonly host: string; readonly port: number }
  /** A world of this sandbox has the API key, or the id of the team, already. */
  'key-taken': { readonly teamId: string }
  'team-taken': { readonly teamId: string }
  'too-many-worlds': { readonly max: number }
  /** An Authorization header cannot carry it. */
  'unusable-key': Readonly<Record<never, never>>
  'unusable-control-token': Readonly<Record<never, never>>
  /** No time that can be let pass: negative, no number, or beyond the year 9999. */
  'bad-advance': { readonly milliseconds: number }
  'bad-pace': { readonly pace: number }
  'sandbox-cannot-listen': { readonly host: string; readonly port: number }
  /** Another sandbox has the journal; `pid` where its lock says it. */
  'journal-in-use': { readonly file: string; readonly pid?: number | undefined }
  /** The journal cannot be read, written or locked; `isDiskFull` where that is why. */
  'journal-unusable': { readonly file: string; readonly isDiskFull?: boolean | undefined }
  /** A line is no entry of a journal. */
  'journal-damaged': { readonly file: string; readonly line: number }
}

export const sandboxError = errorsOf<SandboxErrors>()
