import { keepProcessAlive } from '../lib/clock.ts'

/**
 * Keeps the process alive while a test awaits something; the server, its connections and its timers never do. A sandbox that a failed
 * test did not close must not keep the test runner from exiting.
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
    /** To be called when `canProgress` may have changed. */
    update,
  }
}
