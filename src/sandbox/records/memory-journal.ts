import type { RecordEntry, RecordStore } from './store.ts'

/** Journal that has entries on disk before their response is sent. */
export interface RecordJournal {
  /**
   * Resolves when the entry is on disk. Waiting entries are written together, in order.
   * @throws if it cannot be written, or the reason of `closed` if its session has ended; the file is then unchanged.
   */
  append(entry: RecordEntry, closed: AbortSignal): Promise<void>
  /**
   * Writes these records in the place of the file and calls `onReplaced`, before any entry that is appended later: a kill leaves the
   * old records or the new ones. In memory it is done when the function returns.
   * @throws if they cannot be written; the file is then as it was
   */
  replace(store: RecordStore, onReplaced: () => void): Promise<void>
  /** Writes what is waiting, closes the file and frees the lock. */
  close(): Promise<void>
}

/** Keeps nothing: `sandbox start --in-memory`. */
export const memoryJournal: RecordJournal = {
  async append(_entry, closed) {
    closed.throwIfAborted()
  },
  async replace(_store, onReplaced) {
    onReplaced()
  },
  close: async () => {},
}
