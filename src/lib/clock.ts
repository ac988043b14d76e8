import {
  clearImmediate,
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
} from './real-timers.ts'

export interface Timekeeper {
  /** Milliseconds since the epoch. */
  now(): number
}

export interface Sleeper {
  /** Rejects with the signal's reason when it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls back after a time, unless the function that it returns is called first. A clock without it sleeps instead, which makes a signal
   * and two promises for each timer: more than a request takes.
   */
  timer?(milliseconds: number, onTime: () => void): () => void
}

/** Time, injected so that no test sleeps. */
export interface Clock extends Timekeeper, Sleeper {}

const { now } = Date

/** The longest that a timer can hold, 24 days: a longer sleep ends earlier. */
const maxDelayMs = 2_147_483_647

export const systemClock: Clock = createClock({ isUnref: false })

/** Returns the same clock with unref'd timers, for work that must not keep the process alive. */
export const backgroundClock: Clock = createClock({ isUnref: true })

function createClock({ isUnref }: { readonly isUnref: boolean }): Clock {
  const timer = (milliseconds: number, onTime: () => void) => {
    if (milliseconds > 0) {
      const timeout = setTimeout(onTime, Math.min(milliseconds, maxDelayMs))
      if (isUnref) timeout.unref()
      return () => clearTimeout(timeout)
    }
    // Never unref'd: the event loop would sleep until something else wakes it.
    const immediate = setImmediate(onTime)
    return () => clearImmediate(immediate)
  }
  return {
    now,
    // Not node:timers/promises: each rejection creates an error with a stack, which costs more than most waits.
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason)
        const onTime = () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        }
        const cancel = timer(milliseconds, onTime)
        const onAbort = () => {
          cancel()
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
    timer,
  }
}

/** Milliseconds since the start of the process. Unlike `now`, never set back or ahead. */
export function monotonicMs(): number {
  return performance.now()
}

/** Keeps the process alive until the function that it returns is called. */
export function keepProcessAlive(): () => void {
  const interval = setInterval(() => {}, maxDelayMs)
  return () => clearInterval(interval)
}

/** Calls back when what waits outside had its turn: requests, files, timers that are due. */
export function onNextTurn(then: () => void): void {
  setImmediate(then)
}

/** Without a reason every abort makes an error with a stack. */
const notNeeded = new Error('the wait was cancelled')

/** Calls back after a time, unless the function that it returns is called first. */
export function startTimer(
  milliseconds: number,
  onTimeout: () => void,
  { sleep, timer }: Sleeper,
): () => void {
  if (timer !== undefined) return timer(milliseconds, onTimeout)
  const cancelled = new AbortController()
  sleep(milliseconds, cancelled.signal).then(
    () => {
      if (!cancelled.signal.aborted) onTimeout()
    },
    () => undefined,
  )
  return () => cancelled.abort(notNeeded)
}

/** Waits for work, and no longer than this time. Rejects as the work does. */
export async function atMost(
  milliseconds: number,
  work: Promise<unknown>,
  { sleep }: Sleeper,
): Promise<void> {
  const ended = new AbortController()
  try {
    await Promise.race([work, sleep(milliseconds, ended.signal).catch(() => undefined)])
  } finally {
    ended.abort(notNeeded)
  }
}
