/**
 * A controller that aborts with the outer signal, with its reason, or alone. `release` ends that. Not `AbortSignal.any`: on Node 20 the
 * signal that lives longer keeps a kilobyte of each, and a garbage collection loses a deadline of `AbortSignal.timeout` inside.
 */
export function followSignal(outer: AbortSignal | undefined): {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
  release(): void
} {
  const ending = new AbortController()
  const follow = () => ending.abort(outer?.reason)
  if (outer?.aborted) follow()
  else outer?.addEventListener('abort', follow, { once: true })
  return {
    signal: ending.signal,
    abort: reason => ending.abort(reason),
    release: () => outer?.removeEventListener('abort', follow),
  }
}
