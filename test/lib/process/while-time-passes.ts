import { setTimeout as delay } from 'node:timers/promises'
import type { ManualClock } from '../../helpers/manual-clock.ts'

/** Resolves a promise while time passes, for work that waits for processes and for the clock. */
export async function whileTimePasses<Value>(clock: ManualClock, promise: Promise<Value>): Promise<Value> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  promise.then(over, over)
  while (!isOver) {
    await clock.advance(100)
    // Processes have a time of their own.
    await delay(1)
  }
  return promise
}
