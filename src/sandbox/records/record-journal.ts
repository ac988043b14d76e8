import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CallyardError, describeFileError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { createJournal, type Journal } from '../../lib/fs/journal.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import type { WorldOptions } from '../world-options.ts'
import { createCompaction } from './journal-compaction.ts'
import { journalChunks, readJournal, toJournalLine } from './journal-lines.ts'
import type { RecordJournal } from './memory-journal.ts'
import { wasReplaced } from './problem.ts'
import { createStore, markInterrupted, type RecordStore } from './store.ts'

interface JournalOptions<Loaded> extends Pick<WorldOptions, 'clock' | 'disk' | 'minCompactedBytes'> {
  /** Completes the loaded records; the file is rewritten from the returned store. */
  load(store: RecordStore): Loaded
}

const defaultMinCompactedBytes = 8 * 1024 * 1024

/**
 * Opens the append-only journal: one entry per line (NDJSON), mode 0600. A line counts once its newline is written, so a kill at any
 * byte loses at most the change that was not announced. Compacted atomically at the start and while it grows.
 * @throws `journal-in-use`, `journal-damaged`, `journal-unusable`
 */
export async function openJournal<Loaded extends { readonly store: RecordStore }>(
  file: string,
  { load, clock, disk, minCompactedBytes = defaultMinCompactedBytes }: JournalOptions<Loaded>,
): Promise<{ loaded: Loaded; journal: RecordJournal }> {
  const path = await prepare(file)
  const lock = await lockFile(path, {
    clock,
    inUse: holder => journalInUse(path, holder?.pid),
    cannotLock: error => journalUnusable(path, error),
  })
  try {
    const store = createStore()
    if (existsSync(path)) for await (const entry of readJournal(path)) store.apply(markInterrupted(entry))
    const loaded = load(store)
    const file = createJournal(path, { disk, lock })
    await file.replace(() => journalChunks(loaded.store))
    return {
      loaded,
      journal: createRecordJournal(path, { file, lock, minCompactedBytes, store: loaded.store }),
    }
  } catch (error) {
    await lock.release()
    throw error instanceof CallyardError ? error : journalUnusable(path, error)
  }
}

async function prepare(file: string): Promise<string> {
  try {
    await makeFolder(dirname(file), 0o700)
  } catch (error) {
    throw journalUnusable(file, error)
  }
  // The file itself, not a link to it, so that one journal has one lock.
  return realpath(file).catch(() => file)
}

interface Waiting {
  /** A line to append, or a job that needs exclusive access to the file. */
  readonly work: string | (() => Promise<void>)
  isCurrent(): boolean
  done(): void
  failed(error: unknown): void
}

interface RecordJournalOptions {
  readonly file: Journal
  readonly lock: FileLock
  readonly minCompactedBytes: number
  readonly store: RecordStore
}

function createRecordJournal(
  path: string,
  { file, lock, minCompactedBytes, ...options }: RecordJournalOptions,
): RecordJournal {
  let { store } = options
  const waiting: Waiting[] = []
  let flushing: Promise<void> | undefined

  const compaction = createCompaction({
    minBytes: minCompactedBytes,
    journal: file,
    exclusively: (job, isCurrent) => enqueue(job, isCurrent),
  })
  /** Takes one job, or all lines before the next job. */
  const takeBatch = () => {
    const end = waiting.findIndex(({ work }) => typeof work !== 'string')
    return waiting.splice(0, end === -1 ? waiting.length : Math.max(end, 1))
  }
  const write = async (batch: readonly Waiting[]) => {
    const lines = batch.flatMap(({ work }) => (typeof work === 'string' ? [work] : []))
    const [job] = batch.flatMap(({ work }) => (typeof work === 'string' ? [] : [work]))
    if (job !== undefined) return job()
    await file.append(lines.join(''))
    compaction.onAppended(store)
  }
  const flush = async () => {
    while (waiting.length > 0) {
      const batch: Waiting[] = []
      for (const entry of takeBatch()) {
        if (entry.isCurrent()) batch.push(entry)
        else entry.failed(wasReplaced())
      }
      if (batch.length === 0) continue
      try {
        await write(batch)
        for (const { done } of batch) done()
      } catch (error) {
        const reason = `the sandbox’s journal ${path} cannot be used: ${describeFileError(error)}`
        for (const { failed } of batch) failed(new Error(reason))
      }
    }
    flushing = undefined
  }
  const enqueue = (work: Waiting['work'], isCurrent: () => boolean, onDone: () => void = () => {}) =>
    new Promise<void>((resolve, failed) => {
      const done = () => {
        onDone()
        resolve()
      }
      waiting.push({ work, isCurrent, done, failed })
      flushing ??= flush()
    })
  return {
    append: (entry, isCurrent) => enqueue(toJournalLine(entry), isCurrent),
    replace(next, isCurrent, onReplaced) {
      const job = async () => {
        await compaction.abort()
        await file.replace(() => journalChunks(next))
        store = next
      }
      return enqueue(job, isCurrent, onReplaced)
    },
    async close() {
      await flushing
      await compaction.abort()
      file.close()
      await lock.release()
    },
  }
}

/** `pid` is undefined if the lock does not tell it. */
const journalInUse = (file: string, pid: number | undefined) =>
  new CallyardError(
    'conflict',
    `another sandbox${pid === undefined ? '' : ` (process ${pid})`} is already using ${file}`,
    { code: 'journal-in-use', hint: 'stop it, or use another file', details: { file, pid } },
  )

function journalUnusable(file: string, cause: unknown): CallyardError {
  const isDiskFull = getErrorCode(cause) === 'ENOSPC'
  return new CallyardError('usage', `cannot use the sandbox journal ${file}: ${getErrorReason(cause)}`, {
    code: 'journal-unusable',
    hint: isDiskFull
      ? 'free disk space, then run again'
      : 'check the folder and its permissions, or use another file',
    details: isDiskFull ? { file, isDiskFull } : { file },
    cause,
  })
}
