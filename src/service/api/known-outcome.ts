import { CallyardError } from '../../lib/error.ts'

/** True if the service certainly did not carry out the request. Errors before a request have no outcome. */
export function hasKnownOutcome(error: unknown): boolean {
  if (!(error instanceof CallyardError)) return false
  const { outcome } = error.details
  if (outcome === undefined) return error.kind === 'usage' || error.kind === 'unauthorized'
  return outcome === 'refused' || outcome === 'not-sent'
}
