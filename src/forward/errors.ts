import { defineErrors } from '../lib/error.ts'

/** Codes of failures of forwarding, with their details. */
export type ForwardErrors = {
  'events-not-kept': { readonly folder: string; readonly reason: string }
  'forwarded-elsewhere': { readonly path: string }
  /** A target of forwarding is the listener itself. */
  'forwards-to-itself': { readonly target: string }
}

export const forwardError = defineErrors<ForwardErrors>()
