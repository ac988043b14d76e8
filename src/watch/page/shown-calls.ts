import type { SelectedCall } from './page-model.ts'

export interface ShownCall {
  readonly call: SelectedCall
  /** How many events it had by then. */
  readonly events: number
}

/** The calls that were shown last, to be read again when the tail cannot be asked. */
export interface ShownCalls {
  keep(shown: ShownCall): void
  get(key: number): ShownCall | undefined
  clear(): void
}

/** Keeps so many of them. */
export function createShownCalls(most = 20): ShownCalls {
  const kept = new Map<number, ShownCall>()
  return {
    keep(shown) {
      const { key } = shown.call
      // The one that was shown last stands last.
      kept.delete(key)
      kept.set(key, shown)
      for (const oldest of kept.keys()) if (kept.size > most) kept.delete(oldest)
    },
    get: key => kept.get(key),
    clear: () => kept.clear(),
  }
}
