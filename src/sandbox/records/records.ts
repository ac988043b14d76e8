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
import { Problem } from './problem.ts'
import { createStore, entrySchema, type RecordEntry, type RecordStore, type Team } from './store.ts'

/** The records, on the disk before they are announced. */
export interface Records {
  readonly store: RecordStore
  readonly team: Team
  /** @throws Problem 507 when the journal cannot be written; then nothing changed */
  save(entry: RecordEntry): Promise<void>
  /** Takes effect at once and is written later: for what happens to a call, where no answer waits for it. */
  keep(entry: RecordEntry): void
  /** One at a time, for a change that depends on what is there. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
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

/** A call that ran when the sandbox was killed is over. */
function interrupted(entry: RecordEntry): RecordEntry {
  if (entry.kind !== 'call' || entry.record.status === 'completed' || entry.record.status === 'forwarded')
    return entry
  const { record } = entry
  return {
    kind: 'call',
    record: { ...record, status: 'completed', endAt: record.updatedAt, callEndTriggerBy: 'system' },
  }
}

function createRecords(
  { store, team }: Pick<Records, 'store' | 'team'>,
  journal: RecordJournal,
  log: Log,
): Records {
  let last: Promise<unknown> = Promise.resolve()
  return {
    store,
    team,
    async save(entry) {
      try {
        await journal.append(entry)
      } catch (error) {
        const reason = reasonOf(error)
        log({ kind: 'warning', message: reason })
        throw new Problem(507, reason, { hint: 'nothing was changed; repair it and send the request again' })
      }
      store.apply(entry)
    },
    keep(entry) {
      store.apply(entry)
      journal.append(entry).catch(error => {
        log({ kind: 'warning', message: reasonOf(error) })
      })
    },
    exclusively(work) {
      const result = last.then(work)
      last = result.catch(() => {})
      return result
    },
    close: journal.close,
  }
}

/** Where entries are kept before they are answered. */
interface RecordJournal {
  /**
   * Resolves when the entry is on the disk. Entries that wait for the disk together are written together, in order.
   * @throws when it cannot be written; then nothing of it remains.
   */
  append(entry: RecordEntry): Promise<void>
  /** Writes what is waiting, closes the file and frees the lock. */
  close(): Promise<void>
}

/** Keeps nothing: `sandbox start --memory`. */
const memoryJournal: RecordJournal = { append: async () => {}, close: async () => {} }

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
    const text = loaded.store.snapshot().map(toJournalLine).join('')
    await replaceFile(path, text, { mode: 0o600, machine: { clock }, isLocked: true })
    return { loaded, journal: createJournal(path, openLineFile(path, disk), lock) }
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

function createJournal(path: string, file: LineFile, lock: FileLock): RecordJournal {
  let waiting: { line: string; done(): void; failed(error: unknown): void }[] = []
  let flushing: Promise<void> | undefined

  const write = async (lines: string) => {
    if (lock.isLost()) throw new Error('another process took its lock')
    if (file.torn) throw new Error('its end could not be repaired after a failed write')
    await file.appendSynced(Buffer.from(lines))
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
      file.close()
      await lock.release()
    },
  }
}

function cannotUse(file: string, error: unknown): CallwrightError {
  const isDiskFull = codeOf(error) === 'ENOSPC'
  return sandboxError('usage', 'journal-unusable', isDiskFull ? { file, isDiskFull } : { file }, error)
}
