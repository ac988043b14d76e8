import type { Clock } from '../../lib/clock.ts'

export interface Timer {
  /** Begins to time something by its name; what it returns ends that. */
  start(name: string): () => void
  /** Milliseconds; undefined for what was not timed to its end. */
  durationOf(name: string): number | undefined
}

/** How long each of many things takes, for a report. */
export function createTimer(clock: Pick<Clock, 'now'>): Timer {
  const durations = new Map<string, number>()
  return {
    start(name) {
      const begin = clock.now()
      return () => void durations.set(name, clock.now() - begin)
    },
    durationOf: name => durations.get(name),
  }
}
