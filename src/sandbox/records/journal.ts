import { type FileHandle, mkdir, open, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError, codeOf, reasonOf } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import { replaceFile, syncFile } from '../../lib/fs/replace-file.ts'
import { sandboxError } from '../events.ts'
import { entrySchema, type RecordEntry } from './store.ts'

/** Where entries are kept before they are answered. */
export interface RecordJournal {
  /**
   * Resolves when the entry is on the disk. Entries that wait for the disk together are written together, in order.
   * @throws when it cannot be written; then nothing of it remains.
   */
  append(entry: RecordEntry): Promise<void>
  /** Writes what is waiting, closes the file and frees the lock. */
  close(): Promise<void>
}

/** Keeps nothing: `sandbox start --memory`. */
export const memoryJournal: RecordJournal = { append: async () => {}, close: async () => {} }

interface JournalOptions {
  /** The fewest entries that say the same; they replace the file at the start. */
  compact(entries: readonly RecordEntry[]): RecordEntry[]
  readonly clock: Clock
}

/**
 * Opens the append-only journal: one entry per line (NDJSON), mode 0600. A line counts once its newline is written, so a
 * kill at any byte loses at most the change that was not announced. Compacted at the start, atomically.
 * @throws `journal-in-use`, `journal-damaged`, `journal-unusable`
 */
export async function openJournal(
  file: string,
  { compact, clock }: JournalOptions,
): Promise<{ entries: RecordEntry[]; journal: RecordJournal }> {
  const path = await prepare(file)
  const lock = await lockJournal(path, clock)
  try {
    const entries = compact(parseJournal(await readIfThere(path), path))
    const text = entries.map(toJournalLine).join('')
    await replaceFile(path, text, { mode: 0o600, machine: { clock }, isLocked: true })
    const handle = await open(path, 'a', 0o600)
    return { entries, journal: createJournal(path, handle, Buffer.byteLength(text), lock) }
  } catch (error) {
    await lock.release()
    throw error instanceof CallwrightError ? error : cannotUse(path, error)
  }
}

/** The entries of a journal's bytes. What stands after the last newline was never answered and does not count. */
export function parseJournal(bytes: Uint8Array, file: string): RecordEntry[] {
  const entries: RecordEntry[] = []
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, start)) {
    const line = text.toString('utf8', start, end)
    if (line !== '') entries.push(parseEntry(line, { file, line: entries.length + 1 }))
    start = end + 1
  }
  return entries
}

export function toJournalLine(entry: RecordEntry): string {
  return `${JSON.stringify(entry)}\n`
}

function parseEntry(text: string, { file, line }: { file: string; line: number }): RecordEntry {
  const parsed = entrySchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw sandboxError('invalid', 'journal-damaged', { file, line })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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

function createJournal(
  path: string,
  handle: FileHandle,
  length: number,
  lock: Pick<FileLock, 'isLost' | 'release'>,
): RecordJournal {
  let size = length
  let waiting: { line: string; done(): void; failed(error: unknown): void }[] = []
  let flushing: Promise<void> | undefined
  let damage: string | undefined

  const write = async (text: string) => {
    const reason = damage ?? (lock.isLost() ? 'another process took its lock' : undefined)
    if (reason !== undefined) throw new Error(reason)
    try {
      await handle.appendFile(text)
      await syncFile(handle)
      size += Buffer.byteLength(text)
    } catch (error) {
      // Half a line must not stay: the next entry would be glued to it.
      await handle.truncate(size).catch(() => {
        damage = 'its end could not be repaired after a failed write'
      })
      throw error
    }
  }
  const flush = async () => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await write(batch.map(({ line }) => line).join(''))
        for (const { done } of batch) done()
      } catch (error) {
        const reason = `the sandbox’s journal ${path} cannot be used: ${reasonOf(error)}`
        for (const { failed } of batch) failed(new Error(reason))
      }
    }
    flushing = undefined
  }
  return {
    append: entry =>
      new Promise<void>((done, failed) => {
        waiting.push({ line: toJournalLine(entry), done, failed })
        flushing ??= flush()
      }),
    async close() {
      await flushing
      await handle.close()
      await lock.release()
    },
  }
}

/** @throws `journal-in-use` when another sandbox holds the journal */
function lockJournal(file: string, clock: Clock): Promise<FileLock> {
  return lockFile(file, {
    clock,
    inUse: holder => sandboxError('conflict', 'journal-in-use', { file, pid: holder?.pid }),
    cannotLock: error => cannotUse(file, error),
  })
}

function cannotUse(file: string, error: unknown): CallwrightError {
  const isDiskFull = codeOf(error) === 'ENOSPC'
  return sandboxError('usage', 'journal-unusable', isDiskFull ? { file, isDiskFull } : { file }, error)
}
