import { startTimer } from '../../lib/async/timer.ts'
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
  const giveUp = (why: string) => {
    reason = why
    ending.abort()
  }
  let cancelSilence = () => {}
  const wait = () => {
    cancelSilence()
    cancelSilence = startTimer(
      timeout,
      () => giveUp(`the model sent nothing for ${timeout / 1000} seconds`),
      clock,
    )
  }
  wait()
  const longest = maxSilences * timeout
  const cancelLongest = startTimer(
    longest,
    () => giveUp(reason ?? `the model came to no end within ${longest / 1000} seconds`),
    clock,
  )
  return {
    signal: ending.signal,
    heard: wait,
    givenUp: () => reason,
    end() {
      cancelLongest()
      cancelSilence()
      outer.removeEventListener('abort', cancel)
    },
  }
}
