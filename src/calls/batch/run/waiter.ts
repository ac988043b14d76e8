import type { Clock } from '../../../lib/clock.ts'

/** Longest single wait: the clock of the machine may be changed, or the machine suspended. */
const maxWaitMs = 60_000

const woken = new Error('something happened')

/** Waits that end early when something happens. */
export function createWaiter(clock: Clock) {
  let isWoken = false
  let current: AbortController | undefined
  return {
    /** Ends the wait, or the next one. */
    wake(): void {
      isWoken = true
      current?.abort(woken)
    },
    /** Waits until a time, for a minute at most. */
    async until(time: number): Promise<void> {
      if (!isWoken) {
        current = new AbortController()
        const rest = Math.min(Math.max(time - clock.now(), 0), maxWaitMs)
        await clock.sleep(rest, current.signal).catch(() => undefined)
        current = undefined
      }
      isWoken = false
    },
  }
}
