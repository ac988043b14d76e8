import type { HttpFaultName } from '../faults/http-faults.ts'
import type { WebhookFaultName } from '../faults/webhook-faults.ts'

/** What happens inside the sandbox, for its log. Never carries a key, a header or what is said in a call. */
export type SandboxEvent =
  | {
      readonly kind: 'request'
      readonly requestId: string
      readonly method: string
      readonly path: string
      readonly status: number
    }
  | { readonly kind: 'call'; readonly callId: string; readonly status: string }
  | {
      readonly kind: 'delivery-failed'
      readonly callId: string
      readonly type: string
      /** Without query and credentials: they may be secrets. */
      readonly url: string
      readonly reason: string
      /** What the receiver answered, cut. */
      readonly answer?: string
    }
  /** A receiver took a message and broke interface.md 4.8 in its answer; once a call and rule. */
  | {
      readonly kind: 'wrong-answer'
      readonly callId: string
      readonly type: string
      readonly url: string
      readonly reason: string
      readonly answer: string
    }
  /** A fault on request befell a webhook; `index` is its place in the call, counted from 0. */
  | {
      readonly kind: 'fault'
      readonly fault: WebhookFaultName
      readonly callId: string
      readonly type: string
      readonly index: number
    }
  /** A fault on request befell a request to the API. */
  | {
      readonly kind: 'fault'
      readonly fault: HttpFaultName
      readonly requestId: string
      readonly method: string
      readonly path: string
    }
  | { readonly kind: 'warning'; readonly callId?: string; readonly message: string }

export type Log = (event: SandboxEvent) => void
