import { count } from '../../lib/text/count.ts'
import { formatWait } from '../../lib/text/date-time.ts'
import type { Context } from '../shell/context.ts'

/**
 * Counts retries instead of printing a line for each. `show` is called when the number of waiting requests changes, and `end` prints the
 * totals. `isShown` is true if a person sees `show`; otherwise the first retry is printed.
 */
export function countRetries(
  { onRetries, output }: Context,
  { isShown, show }: { isShown(): boolean; show(): void },
) {
  const waiting = new Map<string, number>()
  const retried = new Map<string, number>()
  const add = (counts: Map<string, number>, cause: string, by: number) =>
    counts.set(cause, (counts.get(cause) ?? 0) + by)
  const stop = onRetries(({ reason, isRateLimited, attemptCount, waitMs }) => {
    const cause = isRateLimited ? 'rate limited' : reason
    if (retried.size === 0 && !isShown()) output.note(`${reason}; retrying in ${formatWait(waitMs)}`)
    if (attemptCount === 1) add(retried, cause, 1)
    add(waiting, cause, 1)
    show()
    return () => {
      add(waiting, cause, -1)
      show()
    }
  })
  return {
    /** `3 waiting: rate limited`; empty if none waits. */
    waitingText: () => listText(waiting, number => `${number} waiting`),
    end() {
      stop()
      const text = listText(retried, number => `${count(number, 'request was', 'requests were')} retried`)
      if (text !== '') output.note(text)
      retried.clear()
    },
  }
}

function listText(counts: ReadonlyMap<string, number>, headOf: (number: number) => string): string {
  return [...counts]
    .flatMap(([cause, number]) => (number === 0 ? [] : [`${headOf(number)}: ${cause}`]))
    .join('; ')
}
