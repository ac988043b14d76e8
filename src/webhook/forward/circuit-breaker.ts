import type { Clock } from '../../lib/clock.ts'

/** A permit to send once; exactly one of these ends it. */
export interface Permit {
  refused(): void
  answered(): void
  /** Nothing was sent: the next caller may. */
  unused(): void
}

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
  const waiting: (() => void)[] = []
  let isDown = false
  /** Only its answer means that the target is up: other requests were under way when it went down. */
  let prober: Permit | undefined
  let outages = 0
  let attempts = 0
  let pause = new AbortController()
  let isProbeDue = false

  const probeLater = async () => {
    pause = new AbortController()
    const delay = backoffMs[Math.min(attempts++, backoffMs.length - 1)] ?? 0
    const either = AbortSignal.any([signal, pause.signal])
    await clock.sleep(delay, either).catch(() => {})
    isProbeDue = true
    waiting.shift()?.()
  }
  const wakeAll = () => {
    for (const wake of waiting.splice(0)) wake()
  }
  signal.addEventListener('abort', wakeAll, { once: true })

  const begin = (): Permit => {
    const begun = outages
    const permit: Permit = {
      refused() {
        // A request from before the target was last seen to be up says nothing about it now.
        if (isDown ? permit !== prober : begun !== outages) return
        prober = undefined
        if (!isDown) {
          isDown = true
          outages++
          onChanged(true)
        }
        void probeLater()
      },
      answered() {
        if (permit !== prober) return
        prober = undefined
        isDown = false
        attempts = 0
        onChanged(false)
        wakeAll()
      },
      unused() {
        if (permit !== prober) return
        prober = undefined
        isProbeDue = true
        waiting.shift()?.()
      },
    }
    return permit
  }
  return {
    /** Resolves when the caller may send: at once, unless the target is down. Rejects with the signal's reason. */
    async permit() {
      signal.throwIfAborted()
      while (isDown && !isProbeDue) {
        await new Promise<void>(resolve => waiting.push(resolve))
        signal.throwIfAborted()
      }
      const permit = begin()
      if (isDown) prober = permit
      isProbeDue = false
      return permit
    },
    /** Ends the pause before the next try: the deadline is close. */
    hurry: () => pause.abort(),
  }
}
