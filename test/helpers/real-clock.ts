import { type Clock, systemClock } from '../../src/lib/clock.ts'

/** Real time, for a sandbox that runs inside a test process; at pace 0 it never sleeps. */
export const realClock: Clock = systemClock

/**
 * A pause of no time at all. It lets the event loop go round once: what waits in a loop must not keep a server of the same
 * process from its sockets.
 */
export function noPause(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  return new Promise(resolve => setImmediate(resolve))
}
