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

type Sleep = Pick<Clock, 'sleep'>

/** Calls back after a time, unless the function that it returns is called first. */
export function startTimer(milliseconds: number, onTimeout: () => void, { sleep }: Sleep): () => void {
  const cancelled = new AbortController()
  sleep(milliseconds, cancelled.signal).then(
    () => {
      if (!cancelled.signal.aborted) onTimeout()
    },
    () => undefined,
  )
  return () => cancelled.abort()
}

/** Waits for work, and no longer than this time. Rejects as the work does. */
export async function atMost(milliseconds: number, work: Promise<unknown>, { sleep }: Sleep): Promise<void> {
  const ended = new AbortController()
  try {
    await Promise.race([work, sleep(milliseconds, ended.signal).catch(() => undefined)])
  } finally {
    ended.abort()
  }
}
