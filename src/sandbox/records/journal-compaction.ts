import { onNextTurn } from '../../lib/clock.ts'
import type { Journal } from '../../lib/fs/journal.ts'
import { createDeferred } from '../../lib/queue.ts'
import { journalChunks } from './journal-lines.ts'
import { wasReplaced } from './problem.ts'
import { forkStore, type RecordStore } from './store.ts'

interface CompactionOptions {
  /** Smaller journals are not compacted. */
  readonly minBytes: number
  readonly journal: Journal
  /** Runs a job while nothing is appended. @throws if the job is no longer current when its turn comes */
  exclusively(job: () => Promise<void>, isCurrent: () => boolean): Promise<void>
}

/** Bytes of the tail copied at a time; appends wait for at most this many. */
const maxTailBytes = 256 * 1024

/**
 * Keeps a journal within twice the size of its records. Records are written to a new file while lines are still appended to the old
 * one. Appends then wait until this tail is copied and the new file has been renamed over the old one.
 */
export function createCompaction({ minBytes, journal, exclusively }: CompactionOptions) {
  /** Size that triggers compaction; undefined until the first append to a new journal. */
  let maxBytes: number | undefined
  /** Offset after the last acknowledged line. */
  let committed = 0
  let running: Promise<void> | undefined
  let abort = () => {}

  const compact = async (store: RecordStore) => {
    const start = committed
    const aborted = createDeferred<never>()
    const finished = createDeferred()
    let isAborted = false
    abort = () => {
      isAborted = true
      aborted.reject(wasReplaced())
    }
    aborted.promise.catch(() => {})
    // Acknowledged lines reach the store within the same turn.
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
        const bytes = journal.read(offset, Math.min(maxTailBytes, committed - offset))
        offset += bytes.length
        return bytes
      }
      while (!isAborted && committed - offset > maxTailBytes) yield nextTail()
      entered ??= enter()
      await Promise.race([entered, aborted.promise])
      while (offset < committed) yield nextTail()
    }
    try {
      await journal.replace(makeChunks)
      maxBytes = undefined
    } catch {
      // Retried when the journal has doubled. If the disk is the cause, the next append reports it.
      maxBytes = 2 * committed
    } finally {
      finished.resolve()
    }
  }
  return {
    /** Call this after lines at the end of the file were acknowledged. */
    onAppended(store: RecordStore) {
      committed = journal.size()
      maxBytes ??= Math.max(minBytes, 2 * committed)
      if (committed <= maxBytes || running !== undefined) return
      running = compact(store).finally(() => {
        running = undefined
      })
    },
    /** Stops a running compaction; when it resolves, the journal may be replaced. */
    async abort() {
      abort()
      await running
      maxBytes = undefined
    },
  }
}
