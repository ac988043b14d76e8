import type { Clock } from '../../lib/clock.ts'

export interface SilenceWatch {
  /** Aborts when nothing came for too long, when it never ends, or when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Something came: the time runs anew. */
  heard(): void
  /** Why it was given up, in the words of a failure. */
  givenUp(): string | undefined
  /** The request is over. */
  end(): void
}

/** A model that always sends something, and never an end, has so many times the longest silence. */
const maxSilences = 4

/** Watches over one request: `timeout` is the longest silence, in milliseconds, from its start on. */
export function watchSilence(
  { timeout, clock }: { timeout: number; clock: Clock },
  outer: AbortSignal,
): SilenceWatch {
  const ending = new AbortController()
  const cancel = () => ending.abort(outer.reason)
  if (outer.aborted) cancel()
  else outer.addEventListener('abort', cancel, { once: true })
  let reason: string | undefined
  const over = new AbortController()
  let waiting: AbortController | undefined
  const wait = () => {
    waiting?.abort()
    const current = new AbortController()
    waiting = current
    clock.sleep(timeout, current.signal).then(
      () => {
        if (current.signal.aborted) return
        reason = `the model sent nothing for ${timeout / 1000} seconds`
        ending.abort()
      },
      () => undefined,
    )
  }
  wait()
  clock.sleep(maxSilences * timeout, over.signal).then(
    () => {
      reason ??= `the model came to no end within ${(maxSilences * timeout) / 1000} seconds`
      ending.abort()
    },
    () => undefined,
  )
  return {
    signal: ending.signal,
    heard: wait,
    givenUp: () => reason,
    end() {
      over.abort()
      waiting?.abort()
      outer.removeEventListener('abort', cancel)
    },
  }
}
