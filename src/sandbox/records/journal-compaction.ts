import { onNextTurn } from '../../lib/clock.ts'
import type { LineFile } from '../../lib/fs/line-file.ts'
import { createDeferred } from '../../lib/queue.ts'
import { journalChunks } from './journal-lines.ts'
import { wasReplaced } from './problem.ts'
import { forkStore, type RecordStore } from './store.ts'

interface CompactionOptions {
  /** A smaller journal is not compacted. */
  readonly minBytes: number
  /** Replaces the journal by these chunks; it stays as it was when making them throws. */
  rewrite(makeChunks: () => AsyncIterable<string | Uint8Array>): Promise<void>
  /** Runs a job while nothing is appended. @throws where it is not current by then */
  exclusively(job: () => Promise<void>, isCurrent: () => boolean): Promise<void>
  /** @throws where another process has the lock */
  assertLocked(): void
  /** The name of the journal is another file's now. */
  onReplaced(): void
}

/** Bytes of the tail that are copied at a time; at most this many while appends wait. */
const maxTailBytes = 256 * 1024

/**
 * Keeps a journal within twice the size of its records. The records are written into a new file while lines are appended to the
 * old one. Then appends wait until these lines, the tail, are copied and the new file has the name of the old one.
 */
export function createCompaction(options: CompactionOptions) {
  const { minBytes, rewrite, exclusively, assertLocked, onReplaced } = options
  /** Size at which to compact; undefined while the journal is as it was written anew. */
  let maxBytes: number | undefined
  /** End of the last line that was acknowledged. */
  let committed = 0
  let running: Promise<void> | undefined
  let abort = () => {}

  const compact = async (file: LineFile, store: RecordStore) => {
    const start = committed
    const aborted = createDeferred<never>()
    const finished = createDeferred()
    let isAborted = false
    abort = () => {
      isAborted = true
      aborted.reject(wasReplaced())
    }
    aborted.promise.catch(() => {})
    // A line is applied to the store in the turn in which it is acknowledged.
    await new Promise<void>(onNextTurn)
    const records = forkStore(store)
    let entered: Promise<void> | undefined
    const enter = () =>
      new Promise<void>((resolve, reject) => {
        const job = () => {
          resolve()
          return finished.promise
        }
        exclusively(job, () => !isAborted).catch(reject)
      })
    async function* makeChunks() {
      for (const chunk of journalChunks(records)) {
        if (isAborted) throw wasReplaced()
        yield chunk
      }
      let offset = start
      const nextTail = () => {
        const bytes = file.read(offset, Math.min(maxTailBytes, committed - offset))
        offset += bytes.length
        return bytes
      }
      while (!isAborted && committed - offset > maxTailBytes) yield nextTail()
      entered ??= enter()
      await Promise.race([entered, aborted.promise])
      assertLocked()
      while (offset < committed) yield nextTail()
    }
    try {
      await rewrite(makeChunks)
      onReplaced()
      maxBytes = undefined
    } catch {
      // Tried again when the journal has doubled: what an append cannot write either, it reports.
      maxBytes = 2 * committed
    } finally {
      finished.resolve()
    }
  }
  return {
    /** Lines were acknowledged: they end the file. */
    onAppended(file: LineFile, store: RecordStore) {
      committed = file.size()
      maxBytes ??= Math.max(minBytes, 2 * committed)
      if (committed <= maxBytes || running !== undefined) return
      running = compact(file, store).finally(() => {
        running = undefined
      })
    },
    /** Resolves when nothing is compacted any more; the journal may be replaced then. */
    async abort() {
      abort()
      await running
      maxBytes = undefined
    },
  }
}
