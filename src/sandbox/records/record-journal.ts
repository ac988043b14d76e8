import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { onNextTurn } from '../../lib/clock.ts'
import { CallyardError, describeFileError, getErrorCode, getErrorReason } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { type Log, openLog } from '../../lib/fs/log.ts'
import { makeFolder } from '../../lib/fs/make-folder.ts'
import type { WorldOptions } from '../world-options.ts'
import { journalChunks, readJournal, toJournalLine } from './journal-lines.ts'
import type { RecordJournal } from './memory-journal.ts'
import { createStore, forkStore, markInterrupted, type RecordStore } from './store.ts'

interface JournalOptions<Loaded> extends WorldOptions {
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
    const file = openLog(path, { disk, lock })
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

interface RecordJournalOptions {
  readonly file: Log
  readonly lock: FileLock
  readonly minCompactedBytes: number
  readonly store: RecordStore
}

function createRecordJournal(
  path: string,
  { file, lock, minCompactedBytes, ...options }: RecordJournalOptions,
): RecordJournal {
  let { store } = options
  /** The last replacement: what is appended after it may not belong to the records any more. */
  let replacing: Promise<unknown> = Promise.resolve()
  /** Size that triggers compaction; undefined until the first append to a new file. */
  let maxBytes: number | undefined

  const unusable = (error: unknown) =>
    new Error(`the sandbox’s journal ${path} cannot be used: ${describeFileError(error)}`)
  const compact = async () => {
    let records: RecordStore | undefined
    async function* makeChunks() {
      // Acknowledged lines reach the store within the same turn.
      await new Promise<void>(onNextTurn)
      records ??= forkStore(store)
      yield* journalChunks(records)
    }
    try {
      await file.compact(makeChunks)
      maxBytes = undefined
    } catch {
      // Retried when the file has doubled. If the disk is the cause, the next append reports it.
      maxBytes = 2 * file.size()
    }
  }
  return {
    async append(entry, closed) {
      await replacing
      closed.throwIfAborted()
      await file.append(toJournalLine(entry)).catch(error => {
        throw unusable(error)
      })
      const size = file.size()
      maxBytes ??= Math.max(minCompactedBytes, 2 * size)
      if (size <= maxBytes) return
      maxBytes = Number.POSITIVE_INFINITY
      void compact()
    },
    replace(next, onReplaced) {
      const replaced = replacing.then(async () => {
        await file
          .replace(() => journalChunks(next))
          .catch(error => {
            throw unusable(error)
          })
        store = next
        maxBytes = undefined
        onReplaced()
      })
      replacing = replaced.catch(() => {})
      return replaced
    },
    async close() {
      await replacing
      await file.close()
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
