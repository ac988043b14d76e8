import { setTimeout as delay } from 'node:timers/promises'

/** Time, injected so that no test sleeps. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Rejects with the signal's reason when it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/** The longest that a timer can hold, 24 days: a longer sleep ends earlier. */
const maxDelayMs = 2_147_483_647

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(milliseconds, signal) {
    await delay(Math.min(milliseconds, maxDelayMs), undefined, signal === undefined ? {} : { signal })
  },
}
