import { keepProcessAlive } from '../lib/clock.ts'

/**
 * Keeps the process alive while a test awaits an operation. Servers, connections and timers never do: a sandbox left open by a failed
 * test must not block the exit of the test runner.
 */
export function createProcessHold(canProgress: () => boolean = () => true) {
  let pending = 0
  let release: (() => void) | undefined
  const update = () => {
    const isNeeded = pending > 0 && canProgress()
    if (isNeeded) release ??= keepProcessAlive()
    else {
      release?.()
      release = undefined
    }
  }
  return {
    async during<Value>(work: () => Promise<Value>): Promise<Value> {
      pending += 1
      update()
      try {
        return await work()
      } finally {
        pending -= 1
        update()
      }
    },
    /** Call this when `canProgress` may have changed. */
    update,
  }
}
