import type { Clock } from '../clock.ts'

type Sleep = Pick<Clock, 'sleep'>

/** Calls back after a time, unless the function that it returns is called first. */
export function startTimer(milliseconds: number, onTimeout: () => void, { sleep }: Sleep): () => void {
  const cancelled = new AbortController()
  sleep(milliseconds, cancelled.signal).then(
    () => {
      if (!cancelled.signal.aborted) onTimeout()
    },
    () => undefined,
  )
  return () => cancelled.abort()
}

/** Waits for work, and no longer than this time. Rejects as the work does. */
export async function atMost(milliseconds: number, work: Promise<unknown>, { sleep }: Sleep): Promise<void> {
  const ended = new AbortController()
  try {
    await Promise.race([work, sleep(milliseconds, ended.signal).catch(() => undefined)])
  } finally {
    ended.abort()
  }
}
