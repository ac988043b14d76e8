/** Time between two readings of the clock, beyond which it was changed or the machine was suspended. */
export const maxReadingGapMs = 30_000

/**
 * Creates a time that passes as the clock does, and stops while the clock jumps: it is read so often that a larger step is not time
 * in which events could have arrived.
 */
export function createSteadyTime(now: () => number) {
  let last = now()
  /** Time on the wall minus steady time. */
  let shift = 0
  return {
    now(): number {
      const at = now()
      if (at < last || at - last > maxReadingGapMs) shift += at - last
      last = at
      return at - shift
    },
    /** Converts to the time that the clock shows now. */
    toWallTime: (at: number) => at + shift,
  }
}
