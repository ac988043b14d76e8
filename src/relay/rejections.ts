import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import { CallyardError } from '../lib/error.ts'

/** True if JetStream responded that it has no such stream. */
export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound
}

/** True if another message came before the one that was expected to be the last. */
export function isStale(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamWrongLastSequence
}

/** True while a cluster starts: it has no leader yet, or its leader has not loaded the stream. */
export function isStarting(error: JetStreamApiError): boolean {
  return isMissing(error) || (error.status === 503 && error.code !== notEnabledForAccount)
}

/** Code of an account without JetStream. */
export const notEnabledForAccount = 10039

/** True if a server responded that it cannot do this; another one may. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof CallyardError) return error.kind === 'refused'
  return (
    error instanceof JetStreamApiError || (error instanceof Error && error.name === 'JetStreamNotEnabled')
  )
}
