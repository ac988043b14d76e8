import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/lib/clock.ts'

/** Real time, for a sandbox that runs inside a test process; at pace 0 it never sleeps. */
export const realClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal })
  },
}

/**
 * A pause of no time at all. It lets the event loop go round once: what waits in a loop must not keep a server of the same
 * process from its sockets.
 */
export function noPause(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  return new Promise(resolve => setImmediate(resolve))
}
