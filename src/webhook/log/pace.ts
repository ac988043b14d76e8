import type { Clock } from '../../lib/clock.ts'

/** Waits between events as they waited when they were recorded. */
export interface Pace {
  /** Resolves when the event that arrived then (milliseconds) is due; the first one is at once. Rejects with the signal's reason. */
  wait(arrived: number): Promise<void>
}

/** The distances of a recording divided by `speed`; Infinity waits for nothing. */
export function createPace(speed: number, { clock, signal }: { clock: Clock; signal: AbortSignal }): Pace {
  let origin: { readonly arrived: number; readonly now: number } | undefined
  return {
    async wait(arrived) {
      signal.throwIfAborted()
      if (speed === Number.POSITIVE_INFINITY) return
      origin ??= { arrived, now: clock.now() }
      // Against the first event, not the one before: what is late does not make the rest later.
      const due = origin.now + (arrived - origin.arrived) / speed
      const left = Math.ceil(due - clock.now())
      if (left > 0) await clock.sleep(left, signal)
    },
  }
}
