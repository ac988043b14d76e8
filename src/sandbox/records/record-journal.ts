import { mkdir, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError, codeOf, reasonOf } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { type Disk, type LineFile, openLineFile } from '../../lib/fs/line-file.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import { replaceFile } from '../../lib/fs/replace-file.ts'
import { parseJson } from '../../lib/json.ts'
import { sandboxError } from '../events.ts'
import { wasReplaced } from './problem.ts'
import { createStore, isEntry, type RecordEntry, type RecordStore } from './store.ts'

/** Where entries are kept before they are answered. */
export interface RecordJournal {
  /**
   * Resolves when the entry is on the disk. Entries that wait for the disk together are written together, in order.
   * @throws when it cannot be written, or is not of the current records by then; the file is then as it was.
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

/** Keeps nothing: `sandbox start --memory`. */
export const memoryJournal: RecordJournal = {
  async append(_entry, isCurrent) {
    if (!isCurrent()) throw wasReplaced()
  },
  async replace(_store, _isCurrent, onReplaced) {
    onReplaced()
  },
  close: async () => {},
}

interface JournalOptions<Loaded> {
  readonly clock: Clock
  readonly disk?: Disk | undefined
  /** Its snapshot replaces the file. */
  load(entries: readonly RecordEntry[]): Loaded
}

/**
 * Opens the append-only journal: one entry per line (NDJSON), mode 0600. A line counts once its newline is written, so a
 * kill at any byte loses at most the change that was not announced. Compacted at the start, atomically.
 * @throws `journal-in-use`, `journal-damaged`, `journal-unusable`
 */
export async function openJournal<Loaded extends { readonly store: RecordStore }>(
  file: string,
  { load, clock, disk }: JournalOptions<Loaded>,
): Promise<{ loaded: Loaded; journal: RecordJournal }> {
  const path = await prepare(file)
  const lock = await lockFile(path, {
    clock,
    inUse: holder => sandboxError('conflict', 'journal-in-use', { file: path, pid: holder?.pid }),
    cannotLock: error => cannotUse(path, error),
  })
  try {
    const loaded = load(parseJournal(await readIfThere(path), path))
    const rewrite = (store: RecordStore) =>
      replaceFile(path, store.snapshot().map(toJournalLine).join(''), {
        mode: 0o600,
        isLocked: true,
      })
    await rewrite(loaded.store)
    return { loaded, journal: createJournal(path, { lock, rewrite, disk }) }
  } catch (error) {
    await lock.release()
    throw error instanceof CallwrightError ? error : cannotUse(path, error)
  }
}

/** The entries of a journal's bytes. What stands after the last newline was never answered and does not count. */
export function parseJournal(
  bytes: Uint8Array,
  file: string,
  isWanted: (line: string) => boolean = () => true,
): RecordEntry[] {
  const entries: RecordEntry[] = []
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  let number = 0
  for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, start)) {
    const line = text.toString('utf8', start, end)
    number += 1
    if (line !== '' && isWanted(line)) entries.push(parseEntry(line, { file, line: number }))
    start = end + 1
  }
  return entries
}

/** What a call can be made of: the records of a journal's bytes without its key, and without its calls, which are not read. */
export function recordsOf(bytes: Uint8Array, file: string): RecordStore {
  const entries = parseJournal(bytes, file, line => !line.startsWith('{"kind":"call",'))
  return createStore(entries.filter(({ kind }) => kind !== 'team' && kind !== 'call'))
}

export function toJournalLine(entry: RecordEntry): string {
  return `${JSON.stringify(entry)}\n`
}

function parseEntry(text: string, { file, line }: { file: string; line: number }): RecordEntry {
  const value = parseJson(text)
  if (isEntry(value)) return value
  throw sandboxError('invalid', 'journal-damaged', { file, line })
}

async function prepare(file: string): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw cannotUse(file, error)
  }
  // The file itself, not a link to it, so that one journal has one lock.
  return realpath(file).catch(() => file)
}

async function readIfThere(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Uint8Array()
    throw error
  }
}

interface Waiting {
  /** A line to append; a store for the place of all that is there. */
  readonly content: string | RecordStore
  isCurrent(): boolean
  done(): void
  failed(error: unknown): void
}

interface JournalFile {
  readonly lock: FileLock
  rewrite(store: RecordStore): Promise<void>
  readonly disk: Disk | undefined
}

function createJournal(path: string, { lock, rewrite, disk }: JournalFile): RecordJournal {
  /** Undefined until the first line after a replacement. */
  let file: LineFile | undefined
  const waiting: Waiting[] = []
  let flushing: Promise<void> | undefined

  /** A replacement, or as many lines as there are before one. */
  const takeBatch = () => {
    const end = waiting.findIndex(({ content }) => typeof content !== 'string')
    return waiting.splice(0, end === -1 ? waiting.length : Math.max(end, 1))
  }
  const write = async (batch: readonly Waiting[]) => {
    if (lock.isLost()) throw new Error('another process took its lock')
    const [store] = batch.flatMap(({ content }) => (typeof content === 'string' ? [] : [content]))
    if (store === undefined) {
      file ??= openLineFile(path, disk)
      if (file.torn) throw new Error('its end could not be repaired after a failed write')
      await file.appendSynced(Buffer.from(batch.map(({ content }) => content).join('')))
    } else {
      await rewrite(store)
      file?.close()
      file = undefined
    }
  }
  const flush = async () => {
    while (waiting.length > 0) {
      const batch: Waiting[] = []
      for (const each of takeBatch()) {
        if (each.isCurrent()) batch.push(each)
        else each.failed(wasReplaced())
      }
      if (batch.length === 0) continue
      try {
        await write(batch)
        for (const { done } of batch) done()
      } catch (error) {
        const reason = `the sandbox’s journal ${path} cannot be used: ${reasonOf(error)}`
        for (const { failed } of batch) failed(new Error(reason))
      }
    }
    flushing = undefined
  }
  const enqueue = (content: Waiting['content'], isCurrent: () => boolean, onDone: () => void = () => {}) =>
    new Promise<void>((resolve, failed) => {
      const done = () => {
        onDone()
        resolve()
      }
      waiting.push({ content, isCurrent, done, failed })
      flushing ??= flush()
    })
  return {
    append: (entry, isCurrent) => enqueue(toJournalLine(entry), isCurrent),
    replace: enqueue,
    async close() {
      await flushing
      file?.close()
      await lock.release()
    },
  }
}

function cannotUse(file: string, error: unknown): CallwrightError {
  const isDiskFull = codeOf(error) === 'ENOSPC'
  return sandboxError('usage', 'journal-unusable', isDiskFull ? { file, isDiskFull } : { file }, error)
}
