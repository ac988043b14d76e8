import { defineErrors } from '../../lib/error.ts'

export type ForwardErrors = {
  'events-not-kept': { readonly folder: string; readonly reason: string }
  'forwarded-elsewhere': { readonly path: string }
  'forwards-to-itself': { readonly target: string }
}

export const forwardError = defineErrors<ForwardErrors>()
