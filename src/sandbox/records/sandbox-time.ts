import type { Clock } from '../../lib/clock.ts'

/** The time at which records are made and calls begin. */
export interface SandboxTime {
  /** Milliseconds since the epoch. */
  now(): number
}

const secondsApart = 1000
const beginning = Date.UTC(2026, 0, 1)

/**
 * With pace 0 nothing waits for the clock, so nothing is told by it either: each reading is one second after the one before,
 * from a fixed beginning or from the latest of the records that are there. The same requests get the same times.
 */
export function createSandboxTime({
  clock,
  pace,
  latest,
}: {
  readonly clock: Clock
  readonly pace: number
  /** Of the records that are there, ISO 8601. */
  readonly latest: string | undefined
}): SandboxTime {
  if (pace > 0) return { now: () => clock.now() }
  let last = Math.max(beginning, latest === undefined ? 0 : Date.parse(latest) + secondsApart)
  return {
    now() {
      const now = last
      last += secondsApart
      return now
    },
  }
}
