import type { Clock } from '../../src/lib/clock.ts'

/** A clock whose sleepers wake when the test says so, or when their signal aborts. */
export function patientClock(): Clock & { readonly slept: number[]; pass(): void } {
  const slept: number[] = []
  const sleepers = new Set<() => void>()
  return {
    slept,
    now: () => 0,
    sleep(milliseconds, signal) {
      slept.push(milliseconds)
      return new Promise((resolve, reject) => {
        sleepers.add(resolve)
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    },
    pass() {
      for (const wake of sleepers) wake()
      sleepers.clear()
    },
  }
}
