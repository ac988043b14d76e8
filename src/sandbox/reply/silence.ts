import type { Clock } from '../../context.ts'

export interface SilenceWatch {
  /** Aborts when nothing came for too long, or when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Something came: the time runs anew. */
  heard(): void
  /** Whether it was given up for its silence. */
  silent(): boolean
  /** The request is over. */
  end(): void
}

/** Watches over one request: `timeout` is the longest silence, in milliseconds, from its start on. */
export function watchSilence(
  { timeout, clock }: { timeout: number; clock: Clock },
  outer: AbortSignal,
): SilenceWatch {
  const ending = new AbortController()
  const cancel = () => ending.abort(outer.reason)
  if (outer.aborted) cancel()
  else outer.addEventListener('abort', cancel, { once: true })
  let silent = false
  let waiting: AbortController | undefined
  const wait = () => {
    waiting?.abort()
    const current = new AbortController()
    waiting = current
    clock.sleep(timeout, current.signal).then(
      () => {
        if (current.signal.aborted) return
        silent = true
        ending.abort()
      },
      () => undefined,
    )
  }
  wait()
  return {
    signal: ending.signal,
    heard: wait,
    silent: () => silent,
    end() {
      waiting?.abort()
      outer.removeEventListener('abort', cancel)
    },
  }
}
