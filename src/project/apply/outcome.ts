import type { CallwrightError } from '../../lib/error.ts'
import type { Address } from '../address.ts'

/** What became of one resource under `apply`. */
export interface ResourceOutcome {
  readonly address: Address
  readonly action: 'create' | 'update' | 'replace' | 'blocked'
  readonly status: 'done' | 'failed' | 'skipped' | 'blocked'
  readonly file: string
  /** At the target, where it is known. */
  readonly id?: string
  /** "created", "updated async and server", "2 entries inserted, 1 updated": what was done. */
  readonly summary?: string
  /** Skipped, blocked: why. */
  readonly reason?: string
  /** Blocked: what to do next. */
  readonly hint?: string
  /** Failed: as a command of its own would have ended. */
  readonly error?: CallwrightError
  /** Failed: whether nobody knows what the service has now, so that a person must look. */
  readonly unknown?: boolean
}
