import type { CallwrightError } from '../../lib/error.ts'
import type { LockStore } from '../lockfile/lock-store.ts'

/** Whether anything more is to be begun. What is under way is always ended. */
export interface Halt {
  /** Why nothing more is begun; undefined while all is well. */
  reason(): string | undefined
  /** A failure may be one that every other request would meet too. */
  failed(error: CallwrightError): void
  succeeded(): void
  stop(reason: string): void
}

/** So many failures of the service itself, with no success between them, and it is not asked any more. */
const maxFailuresInARow = 3

/** Ends an apply for failures that are not one resource's own: Ctrl-C, a refused key, a lost lock, a service that is away. */
export function createHalt(signal: AbortSignal, store: Pick<LockStore, 'failure'>): Halt {
  let stopped: string | undefined
  let inARow = 0
  return {
    reason() {
      if (stopped !== undefined) return stopped
      if (store.failure !== undefined) return 'the lockfile cannot be written'
      return signal.aborted ? 'cancelled' : undefined
    },
    stop(reason) {
      stopped ??= reason
    },
    succeeded() {
      inARow = 0
    },
    failed({ kind, details }) {
      if (kind === 'unauthorized') stopped ??= 'the service refused the API key'
      else if (details.status === 429 || (details.status === 503 && details.outcome === 'refused'))
        stopped ??= 'the service has no room now'
      else if (details.otherTeam !== undefined) stopped ??= 'the API key is another team’s'
      else if (kind === 'unreachable' && details.outcome === 'not-sent')
        stopped ??= 'the service cannot be reached'
      else if (kind === 'unreachable') {
        inARow += 1
        if (inARow >= maxFailuresInARow) stopped ??= `the service failed ${maxFailuresInARow} times in a row`
      }
    },
  }
}
