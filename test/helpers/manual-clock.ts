import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/lib/clock.ts'

export interface ManualClock extends Clock {
  /** Lets time pass, sleeper by sleeper, and each do what it does. */
  advance(milliseconds: number): Promise<void>
}

/** Time passes only when a test moves it. */
export function manualClock(start = Date.UTC(2026, 0, 5, 12)): ManualClock {
  let now = start
  const sleepers = new Set<{ due: number; wake(): void }>()
  return {
    now: () => now,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = {
          due: now + milliseconds,
          wake() {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', abort)
            resolve()
          },
        }
        const abort = () => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', abort)
      }),
    async advance(milliseconds) {
      const end = now + milliseconds
      while (true) {
        // What a sleeper does may take some rounds until it sleeps again.
        for (let rounds = 0; rounds < 8; rounds += 1) await turn()
        const [next] = [...sleepers].filter(({ due }) => due <= end).sort((one, other) => one.due - other.due)
        if (next === undefined) break
        now = Math.max(now, next.due)
        next.wake()
      }
      now = end
    },
  }
}
