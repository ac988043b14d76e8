import { once } from 'node:events'
import type { Clock } from '../../lib/clock.ts'
import type { CallyardError } from '../../lib/error.ts'

/** Milliseconds that a command has to end by itself after Ctrl-C, so that it can say what may have happened. */
const shutdownTimeoutMs = 2000

/** Abandons work some time after the signal, because a pipe or a disk may never respond. @throws the error, and as the work does */
export async function abandonOnSignal(
  work: Promise<void>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
  toError: () => CallyardError,
): Promise<void> {
  const ended = new AbortController()
  const givenUp = async () => {
    if (!signal.aborted) await once(signal, 'abort', { signal: ended.signal })
    await clock.sleep(shutdownTimeoutMs, ended.signal)
    throw toError()
  }
  try {
    await Promise.race([work, givenUp()])
  } finally {
    ended.abort()
  }
}
