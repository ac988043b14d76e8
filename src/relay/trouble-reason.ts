import { CallwrightError, getErrorReason } from '../lib/error.ts'

/** Short reason of trouble; the message of our own errors is their code. */
export function troubleReason(error: unknown): string {
  if (!(error instanceof CallwrightError)) return getErrorReason(error)
  const { reason } = error.details
  return typeof reason === 'string' ? reason : error.message
}
