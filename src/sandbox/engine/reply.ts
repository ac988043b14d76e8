import type { ToolResult, ToolRun } from '../../files/formats/call-observation.ts'

export type HistoryItem =
  | { readonly type: 'said'; readonly role: 'user' | 'assistant'; readonly text: string }
  | ({ readonly type: 'tool' } & ToolResult)

export interface ReplyRequest {
  /** Oldest first, up to the caller's last message. All replies of a call share this list, which grows during a reply. */
  readonly history: readonly HistoryItem[]
  /** Lines of the caller since the last reply. */
  readonly unanswered: readonly string[]
  /** Aborts when the reply is not needed any more: barge-in, or the call is over. A tool under way still ends. */
  readonly signal: AbortSignal
}

/** interface.md 2.1, callForwardData. */
export interface CallForwardTarget {
  readonly phoneNumber?: string | undefined
  readonly extension?: string | undefined
  readonly name?: string | undefined
}

/** Ending of a call by the assistant, after everything else is said. An empty message says nothing more. */
export type ReplyEnding =
  | { readonly kind: 'end-call'; readonly message: string }
  | { readonly kind: 'forward'; readonly message: string; readonly target: CallForwardTarget }

export type ReplyEvent =
  /** More of the message that is being made. */
  | { readonly kind: 'draft'; readonly text: string }
  /** A whole message: said when the assistant has the floor. It replaces the drafts since the last one. `fallback` is true if the sandbox does not know. */
  | { readonly kind: 'message'; readonly text: string; readonly fallback?: true | undefined }
  /** The reply is more than a stopgap. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'tool-started'; readonly run: ToolRun }
  | { readonly kind: 'tool-ended'; readonly result: ToolResult }
  | { readonly kind: 'ending'; readonly ending: ReplyEnding }
  /** Failure after which the call continues; one sentence without secrets. */
  | { readonly kind: 'failure'; readonly part: 'model' | 'tool'; readonly message: string }

/**
 * Generates a reply of the assistant. Resolves when all of it was emitted; errors of models and tools become a `failure` event and an
 * apology.
 */
export type Responder = (request: ReplyRequest, emit: (event: ReplyEvent) => void) => Promise<void>
