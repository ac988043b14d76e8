import { CallyardError, getErrorReason } from '../lib/error.ts'

/** Short words for errors whose details have no reason. */
const reasons: Readonly<Record<string, string>> = {
  'nats-too-old': 'nats-server is too old',
  'no-jetstream': 'JetStream is not enabled',
  'stream-missing': 'the stream does not exist',
  'stream-shape': 'the stream has another configuration',
  'stream-differs': 'the stream has another configuration',
}

/** Short reason of trouble. */
export function troubleReason(error: unknown): string {
  // The client's word for a request without a responder, such as during an election.
  if (error instanceof Error && error.name === 'JetStreamNotEnabled')
    return 'no server responds for the stream'
  if (!(error instanceof CallyardError)) return getErrorReason(error)
  const { reason } = error.details
  if (typeof reason === 'string') return reason
  return reasons[error.code ?? ''] ?? error.message
}
