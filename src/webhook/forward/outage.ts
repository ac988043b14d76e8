import type { Clock } from '../../context.ts'

/** Whether a target refuses connections, and who may try it next. */
export interface Outage {
  /** Resolves when it is this one's turn to send: at once, unless the target is down. Rejects with the signal's reason. */
  turn(): Promise<void>
  /** What came of a turn. */
  refused(): void
  answered(): void
  /** There is no time to wait: the next try is now, and the last one. */
  hurry(): void
}

interface OutageOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Once, when it goes down and when it is up again. */
  changed(isDown: boolean): void
  /** It is down, and there is no time to wait for it. */
  givenUp(): void
}

/** Milliseconds before a target that is down is tried again; the last one from then on. */
const backoff = [250, 500, 1000, 2000, 5000]

/** While a target is down one sender at a time tries it, with growing pauses; all others wait for that one. */
export function createOutage({ clock, signal, changed, givenUp }: OutageOptions): Outage {
  const waiting: (() => void)[] = []
  let isDown = false
  let probing = false
  let attempts = 0
  let hurried = false
  let pause = new AbortController()

  const probe = () => {
    const next = waiting.shift()
    probing = next !== undefined
    next?.()
  }
  const probeLater = async () => {
    pause = new AbortController()
    const delay = backoff[Math.min(attempts++, backoff.length - 1)] ?? 0
    const either = AbortSignal.any([signal, pause.signal])
    await clock.sleep(delay, either).catch(() => {})
    if (isDown && !probing && !signal.aborted) probe()
  }
  const wakeAll = () => {
    for (const wake of waiting.splice(0)) wake()
  }
  signal.addEventListener('abort', wakeAll, { once: true })

  return {
    async turn() {
      signal.throwIfAborted()
      if (!isDown) return
      await new Promise<void>(resolve => waiting.push(resolve))
      signal.throwIfAborted()
    },
    refused() {
      if (isDown && !probing) return
      probing = false
      if (!isDown) {
        isDown = true
        changed(true)
      }
      if (hurried) givenUp()
      else void probeLater()
    },
    answered() {
      if (!isDown) return
      isDown = false
      probing = false
      attempts = 0
      changed(false)
      wakeAll()
    },
    hurry() {
      hurried = true
      pause.abort()
    },
  }
}
