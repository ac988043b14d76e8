import type { ReaderPosition } from './position.ts'

/** Start of a name that has no position, or is to get another one: events stored from now on, or from a time on. */
export type StartPoint = { readonly kind: 'new' } | { readonly kind: 'since'; readonly at: number }

export interface StreamState {
  /** When the stream was created. */
  readonly created: string
  readonly first: number
  readonly last: number
}

export interface ResolvedPosition {
  readonly position: ReaderPosition
  /** First sequence that was removed before it was read, up to the first one of the stream. */
  readonly gapFrom?: number
  /** True if the position is of another stream with this name. */
  readonly isReplaced?: boolean
}

/** Returns where to continue in a stream from a saved position, or where to begin without one. */
export function resolvePosition(
  saved: (ReaderPosition & { readonly stream: string }) | undefined,
  startSequence: number,
  { created, first, last }: StreamState,
): ResolvedPosition {
  if (saved === undefined) return { position: { start: startSequence, next: startSequence, done: [] } }
  if (saved.stream !== created) return { position: { start: first, next: first, done: [] }, isReplaced: true }
  const { start, next, done } = saved
  // The brokers have lost the last events, and their sequences are used again.
  if (next > last + 1) return { position: { start: Math.min(start, last + 1), next: last + 1, done: [] } }
  if (next >= first) return { position: { start, next, done } }
  return {
    position: { start, next: first, done: done.filter(([, to]) => to >= first) },
    gapFrom: next,
  }
}
