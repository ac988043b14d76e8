import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../src/context.ts'

/** Real time, for a sandbox that runs inside a test process; at pace 0 it never sleeps. */
export const realClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal })
  },
}
