import { CallwrightError, getErrorReason } from '../lib/error.ts'

/** Short reason of trouble; the message of our own errors is their code. */
export function troubleReason(error: unknown): string {
  // The client's word for a request without a responder, such as during an election.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled')
    return 'no server responds for the stream'
  if (!(error instanceof CallwrightError)) return getErrorReason(error)
  const { reason } = error.details
  return typeof reason === 'string' ? reason : error.message
}
