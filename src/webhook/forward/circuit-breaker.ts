import type { Clock } from '../../lib/clock.ts'

/** Whether a target refuses connections, and who may try it next. */
export interface CircuitBreaker {
  /** Resolves when it is this one's turn to send: at once, unless the target is down. Rejects with the signal's reason. */
  permit(): Promise<Permit>
  /** Time is short: the next try is now. */
  hurry(): void
}

/** What came of a turn. */
export interface Permit {
  refused(): void
  answered(): void
  /** Nothing was sent: it is the next one's turn. */
  unused(): void
}

interface CircuitBreakerOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Once, when it goes down and when it is up again. */
  changed(isDown: boolean): void
}

/** Milliseconds before a target that is down is tried again; the last one from then on. */
const backoff = [250, 500, 1000, 2000, 5000]

/** While a target is down one sender at a time tries it, with growing pauses; all others wait for that one. */
export function createCircuitBreaker({ clock, signal, changed }: CircuitBreakerOptions): CircuitBreaker {
  const waiting: (() => void)[] = []
  let isDown = false
  /** The only one whose answer tells that it is up: others were under way when it went down. */
  let prober: Permit | undefined
  let outages = 0
  let attempts = 0
  let pause = new AbortController()
  let isProbeDue = false

  const probeLater = async () => {
    pause = new AbortController()
    const delay = backoff[Math.min(attempts++, backoff.length - 1)] ?? 0
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
        // What was tried before the target was last seen to be up tells nothing of now.
        if (isDown ? permit !== prober : begun !== outages) return
        prober = undefined
        if (!isDown) {
          isDown = true
          outages++
          changed(true)
        }
        void probeLater()
      },
      answered() {
        if (permit !== prober) return
        prober = undefined
        isDown = false
        attempts = 0
        changed(false)
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
    hurry: () => pause.abort(),
  }
}
