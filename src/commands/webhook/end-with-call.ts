import { startTimer } from '../../lib/async/timer.ts'
import type { Clock } from '../../lib/clock.ts'
import { brings, type TailEvent } from '../../webhook/index.ts'

/** Ends a listener with the call that it listens for. */
export interface CallEnding {
  /** For every event in its order. */
  take(event: TailEvent): void
  /** Whether the call is over. */
  readonly isOver: boolean
}

/**
 * Closes when a call is over. Where only the messages of the call said so, the service may still send the status, with the
 * analysis: it has five seconds.
 */
export function endWithCall(
  close: () => void,
  clock: Clock,
  isWanted: (event: TailEvent) => boolean,
): CallEnding {
  let cancel = () => {}
  let isOver = false
  return {
    take(event) {
      if (event.kind === 'summary') cancel()
      if (event.kind !== 'ended' && event.kind !== 'status') return
      if (!isWanted(event) || (event.kind === 'status' && event.ended !== true)) return
      isOver = true
      if (event.kind === 'status' || !brings(event.type, 'messages')) return close()
      cancel = startTimer(statusTimeoutMs, close, clock)
    },
    get isOver() {
      return isOver
    },
  }
}

const statusTimeoutMs = 5000
