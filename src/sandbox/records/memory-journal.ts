import { wasReplaced } from './problem.ts'
import type { RecordEntry, RecordStore } from './store.ts'

/** Journal that has entries on disk before their response is sent. */
export interface RecordJournal {
  /**
   * Resolves when the entry is on disk. Waiting entries are written together, in order.
   * @throws if it cannot be written or no longer belongs to the current records; the file is then unchanged.
   */
  append(entry: RecordEntry, isCurrent: () => boolean): Promise<void>
  /**
   * Writes these records in the place of the file and calls `onReplaced`, before any entry that is appended later.
   * @throws as append does; the file is then as it was
   */
  replace(store: RecordStore, isCurrent: () => boolean, onReplaced: () => void): Promise<void>
  /** Writes what is waiting, closes the file and frees the lock. */
  close(): Promise<void>
}

/** Keeps nothing: `sandbox start --in-memory`. */
export const memoryJournal: RecordJournal = {
  async append(_entry, isCurrent) {
    if (!isCurrent()) throw wasReplaced()
  },
  async replace(_store, _isCurrent, onReplaced) {
    onReplaced()
  },
  close: async () => {},
}
