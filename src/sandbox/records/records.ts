import { randomBytes } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { CallwrightError, codeOf, reasonOf } from '../../lib/error.ts'
import { type FileLock, lockFile } from '../../lib/fs/file-lock.ts'
import { type Disk, type LineFile, openLineFile } from '../../lib/fs/line-file.ts'
import { readFile } from '../../lib/fs/read-file.ts'
import { replaceFile } from '../../lib/fs/replace-file.ts'
import { type Log, sandboxError } from '../events.ts'
import { Problem, wasReplaced } from './problem.ts'
import {
  createStore,
  entrySchema,
  interrupted,
  type RecordEntry,
  type RecordStore,
  type Team,
} from './store.ts'

/** The records, on the disk before they are announced. Once others have replaced them, no change to them has any effect. */
export interface Records {
  readonly store: RecordStore
  readonly team: Team
  /** @throws Problem 507 when the journal cannot be written, 409 when others replaced these; then nothing changed */
  save(entry: RecordEntry): Promise<void>
  /** Takes effect at once and is written later: for what happens to a call, where no answer waits for it. */
  keep(entry: RecordEntry): void
  /** One at a time, for a change that depends on what is there. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Puts the records of another store in the place of all that is kept, and calls `onReplaced` with them. Without a journal that
   * happens before it returns; with one when they are on the disk, so that a kill leaves the old records or the new ones.
   * @throws Problem 507 when the journal cannot be written; then nothing changed
   */
  replace(store: RecordStore, onReplaced: (records: Records) => void): Promise<void>
  close(): Promise<void>
}

interface RecordsOptions {
  /** The journal; undefined keeps nothing. */
  readonly data?: string | undefined
  /** Records to begin with, where nothing is kept. */
  readonly entries?: readonly RecordEntry[] | undefined
  /** Instead of the key that the journal holds, or of a new one. */
  readonly apiKey?: string | undefined
  /** Id of the team, where the journal holds none. */
  readonly newTeamId: () => string
  readonly clock: Clock
  readonly log: Log
  readonly disk?: Disk | undefined
}

/** @throws CallwrightError of openJournal */
export async function openRecords(options: RecordsOptions): Promise<Records> {
  const { data, entries = [], log } = options
  const load = (all: readonly RecordEntry[]) => {
    const store = createStore(all.map(interrupted))
    const { teamId, apiKey } = store.team() ?? { teamId: options.newTeamId(), apiKey: newApiKey() }
    const team: Team = { kind: 'team', version: 1, teamId, apiKey: options.apiKey ?? apiKey }
    store.apply(team)
    return { store, team }
  }
  if (data === undefined) return createRecords(load(entries), memoryJournal, log)
  const { loaded, journal } = await openJournal(data, { ...options, load })
  return createRecords(loaded, journal, log)
}

function newApiKey(): string {
  return `cw_sandbox_${randomBytes(24).toString('base64url')}`
}

function createRecords(
  { store, team }: Pick<Records, 'store' | 'team'>,
  journal: RecordJournal,
  log: Log,
): Records {
  let last: Promise<unknown> = Promise.resolve()
  let replaced = false
  const isCurrent = () => !replaced
  const notWritten = (error: unknown) => {
    if (error instanceof Problem) return error
    const reason = reasonOf(error)
    log({ kind: 'warning', message: reason })
    return new Problem(507, reason, { hint: 'nothing was changed; repair it and send the request again' })
  }
  return {
    store,
    team,
    async save(entry) {
      try {
        await journal.append(entry, isCurrent)
      } catch (error) {
        throw notWritten(error)
      }
      store.apply(entry)
    },
    keep(entry) {
      if (replaced) return
      store.apply(entry)
      journal.append(entry, isCurrent).catch(error => {
        if (!replaced) log({ kind: 'warning', message: reasonOf(error) })
      })
    },
    exclusively(work) {
      const result = last.then(work)
      last = result.catch(() => {})
      return result
    },
    async replace(next, onReplaced) {
      if (replaced) throw wasReplaced()
      next.apply(team)
      try {
        await journal.replace(next, isCurrent, () => {
          replaced = true
          onReplaced(createRecords({ store: next, team }, journal, log))
        })
      } catch (error) {
        throw notWritten(error)
      }
    },
    close: journal.close,
  }
}

/** Where entries are kept before they are answered. */
interface RecordJournal {
  /**
   * Resolves when the entry is on the disk. Entries that wait for the disk together are written together, in order.
   * @throws when it cannot be written, or is not of the current records by then; nothing of it remains.
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
const memoryJournal: RecordJournal = {
  async append(_entry, isCurrent) {
    if (!isCurrent()) throw wasReplaced()
  },
  async replace(_store, _isCurrent, onReplaced) {
    onReplaced()
  },
  close: async () => {},
}

interface JournalOptions<Loaded> extends Pick<RecordsOptions, 'clock' | 'disk'> {
  /** Its snapshot replaces the file. */
  load(entries: readonly RecordEntry[]): Loaded
}

/**
 * Opens the append-only journal: one entry per line (NDJSON), mode 0600. A line counts once its newline is written, so a
 * kill at any byte loses at most the change that was not announced. Compacted at the start, atomically.
 * @throws `journal-in-use`, `journal-damaged`, `journal-unusable`
 */
export async function openJournal<Loaded extends Pick<Records, 'store'>>(
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
        machine: { clock },
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
