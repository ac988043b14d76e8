import type { CallStatus, WebhookStatus } from '../../interface/words.ts'
import type { ToolResult, ToolRun } from '../engine/reply.ts'

/** What happens in a call, for whoever sits beside it (`call chat`). Unlike the log it carries what is said. */
export type CallObservation = { readonly callId: string } & (
  | {
      readonly kind: 'status'
      readonly status: WebhookStatus
      /** The call's record at this status: with messages, toolCalls, failures and analysis at the end. */
      readonly record: Readonly<Record<string, unknown>> & { readonly status: CallStatus }
    }
  /** The assistant's words as they are made; a `message` with all of them follows, cut short where the caller barged in. */
  | { readonly kind: 'draft'; readonly text: string }
  | {
      readonly kind: 'message'
      readonly messageId: string
      readonly role: 'user' | 'assistant'
      readonly text: string
      /** ISO 8601, in the time of the call. */
      readonly timestamp: string
      /** It was cut short. */
      readonly interrupted?: true | undefined
    }
  /** The reply that is made is more than a stopgap. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'tool-started'; readonly run: ToolRun }
  | { readonly kind: 'tool-ended'; readonly result: ToolResult }
  | { readonly kind: 'failure'; readonly part: 'model' | 'tool' | 'analysis'; readonly message: string }
  /** Nobody speaks and nothing is being made: a live caller has the floor. */
  | { readonly kind: 'listening' }
)
