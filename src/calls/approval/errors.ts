import { defineErrors } from '../../lib/error.ts'

/** Error codes of approvals and limits, with their details. */
export type ApprovalErrors = {
  /** A command would change something at a service that requires approval, and no person approved it. */
  'approval-required': Unsent & { readonly method: string; readonly path: string; readonly service: string }
  /** The request differs from the approved one. */
  'not-as-approved': Unsent & { readonly method: string; readonly path: string }
  'number-not-allowed': Unsent & { readonly number: string | null; readonly allowed: readonly string[] }
  'calls-per-day-reached': Unsent & { readonly callsPerDay: number }
  'outside-hours': Unsent & { readonly hours: string; readonly timeZone: string | null }
  'request-not-found': { readonly approval: string; readonly pending: readonly string[] }
  'request-expired': { readonly approval: string; readonly at: string }
  'request-decided': { readonly approval: string; readonly status: string }
  'request-changed': { readonly approval: string }
  'request-for-other-service': {
    readonly approval: string
    readonly service: string
    readonly current: string | null
  }
  'needs-terminal': { readonly what: 'approve' | 'reject' | 'change-rules' | 'encrypt' }
}

type Unsent = { readonly outcome: 'not-sent' }

export const approvalError = defineErrors<ApprovalErrors>()
