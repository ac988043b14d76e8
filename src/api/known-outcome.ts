import { CallwrightError } from '../lib/error.ts'

/** Whether it is certain that the service did not do what was asked. What failed before a request was made says no outcome. */
export function hasKnownOutcome(error: unknown): boolean {
  if (!(error instanceof CallwrightError)) return false
  const { outcome } = error.details
  if (outcome === undefined) return error.kind === 'usage' || error.kind === 'unauthorized'
  return outcome === 'refused' || outcome === 'not-sent'
}
