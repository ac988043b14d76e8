import pLimit from 'p-limit'
import type { Clock } from '../../lib/clock.ts'

/** Sends once. Returns `refused` if nothing was sent, and undefined if there is nothing left to send. */
type Attempt<Outcome> = () => Promise<Outcome | 'refused' | undefined>

interface CircuitBreakerOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called once when the target goes down, and once when it is up again. */
  onChanged(isDown: boolean): void
}

/** Before a target that is down is tried again; the last one from then on. */
const backoffMs = [250, 500, 1000, 2000, 5000]

/** While a target is down one sender at a time tries it, with growing pauses; all others wait for that one. */
export function createCircuitBreaker({ clock, signal, onChanged }: CircuitBreakerOptions) {
  const inTurn = pLimit(1)
  let isDown = false
  let outages = 0
  let attempts = 0
  let pause = Promise.resolve()
  let pauseEnd = new AbortController()

  const beginPause = () => {
    pauseEnd = new AbortController()
    const delay = backoffMs[Math.min(attempts++, backoffMs.length - 1)] ?? 0
    pause = clock.sleep(delay, AbortSignal.any([signal, pauseEnd.signal])).catch(() => {})
  }
  const tryNow = async <Outcome>(attempt: Attempt<Outcome>) => {
    const outagesBefore = outages
    const outcome = await attempt()
    // A request from before the target was last seen to be up says nothing about it now.
    if (outcome !== 'refused' || isDown || outagesBefore !== outages) return outcome
    isDown = true
    outages++
    onChanged(true)
    beginPause()
    return outcome
  }
  /** Only the probe's response proves that the target is up: other requests were in flight when it went down. */
  const probe = async <Outcome>(attempt: Attempt<Outcome>) => {
    await pause
    signal.throwIfAborted()
    // The previous sender got a response.
    if (!isDown) return 'refused'
    const outcome = await attempt()
    if (outcome === 'refused') beginPause()
    else if (outcome !== undefined) {
      isDown = false
      attempts = 0
      onChanged(false)
    }
    return outcome
  }
  return {
    /** Sends at once, or in its turn while the target is down, until that is not refused. Rejects with the signal's reason. */
    async send<Outcome>(attempt: Attempt<Outcome>): Promise<Outcome | undefined> {
      for (;;) {
        signal.throwIfAborted()
        const outcome = isDown ? await inTurn(() => probe(attempt)) : await tryNow(attempt)
        if (outcome !== 'refused') return outcome
      }
    },
    /** Ends the pause before the next try: the deadline is close. */
    hurry: () => pauseEnd.abort(),
  }
}
