export type Stopwatch = ReturnType<typeof createStopwatch>

/** Sums up the time between `start` and `stop`, on a clock that never goes backwards. */
export function createStopwatch(monotonicMs: () => number) {
  let total = 0
  let startedAt: number | undefined
  const elapsedMs = () => total + (startedAt === undefined ? 0 : monotonicMs() - startedAt)
  return {
    start() {
      startedAt ??= monotonicMs()
    },
    stop() {
      total = elapsedMs()
      startedAt = undefined
    },
    elapsedMs,
  }
}
