import * as z from 'zod/mini'
import type { Immutable } from '../../lib/json.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'

/** Which knowledge base of which service a file is pushed to. */
export interface Target {
  readonly baseUrl: string
  readonly knowledgeBaseId: string
}

/** An entry that was sent and whose id is not in the file yet. */
export const pendingEntrySchema = lazy(() =>
  z.object({
    /** Line of the entry when it was sent, to refer to it after a change. */
    line: z.optional(z.int()),
    question: z.string(),
    content: z.string(),
    /** Id in the file that belongs to another target. */
    key: z.optional(z.string()),
    /** Id from the service; undefined while it is unknown if the service has the entry. */
    id: z.optional(z.string()),
  }),
)
export type PendingEntry = Immutable<Infer<typeof pendingEntrySchema>>

/**
 * Recorded state of an entry by its id in the file: the hash of its content, with the target's id if that differs; null if the target
 * is known not to have the entry.
 */
export const recordedEntrySchema = lazy(() =>
  z.union([z.string(), z.strictObject({ id: z.string(), hash: z.string() }), z.null()]),
)
export type RecordedEntry = Immutable<Infer<typeof recordedEntrySchema>>

/** Everything of an entry but its id, with included files in place and all other references as they are written. */
export const entryTextSchema = lazy(() => z.record(z.string(), z.unknown()))
export type EntryText = Immutable<Infer<typeof entryTextSchema>>

/** Stands for the hash of an entry whose update is on its way: it is unknown which content the target has. */
export const unknownContent = ''

/** A change of the entries of a knowledge base. A sequence of changes may be applied twice, as after a write that failed at its end. */
export const entriesPatchSchema = lazy(() =>
  z.object({
    /** Recorded entries by their id in the file. */
    entries: z.optional(z.array(z.tuple([z.string(), recordedEntrySchema()]))),
    /** Replaces the pending entries from this index on. */
    pending: z.optional(z.object({ from: z.int(), entries: z.array(pendingEntrySchema()) })),
  }),
)
export type EntriesPatch = Immutable<Infer<typeof entriesPatchSchema>>

/** Recorded and pending entries of a knowledge base. A patch costs only what it changes. */
export interface EntriesState {
  readonly entries: ReadonlyMap<string, RecordedEntry>
  readonly pending: readonly PendingEntry[]
}

export interface LedgerStorage {
  readonly keptIn: string
  /** True if another target has recorded an entry under this id. */
  isOwnedByOtherTarget(key: string): boolean
  /** Changes the state at once, and resolves when that is on disk. */
  patch(patch: EntriesPatch): Promise<void>
  /** Like `patch`, for a request that is about to be sent. Returns a function that reverts it; a failure reverts it, too. */
  intend(patch: EntriesPatch, inverse: EntriesPatch): Promise<() => Promise<void>>
}

/** An entry that the target holds: the id in the file, the id there, and the hash of the content that was sent last. */
export interface PushedEntry {
  readonly key: string
  readonly id: string
  readonly hash: string
}

/**
 * Records earlier pushes of a file to a target: hashes and ids, never text. Each step of a push is recorded; a step that has resolved
 * survives a power failure.
 */
export class PushLedger {
  readonly storage: LedgerStorage
  readonly #state: EntriesState
  /** Ids at the target of entries that are not known by them: most entries have the same id in the file. */
  readonly #otherIds = new Set<string>()

  constructor(state: EntriesState, storage: LedgerStorage) {
    this.storage = storage
    this.#state = state
    for (const [key, entry] of state.entries) this.#noteIds(key, entry)
  }

  /** Recorded entries by their id in the file. */
  get entries(): EntriesState['entries'] {
    return this.#state.entries
  }

  /** Entries that were sent and are not in the file yet. */
  get pending(): EntriesState['pending'] {
    return this.#state.pending
  }

  /**
   * Returns the id at the target of the entry with this id in the file; undefined if the target has no such entry. An id that only
   * another target has recorded is invalid here, so the entry is new. An id that no target has recorded was written by hand and is
   * trusted.
   */
  idOf(key: string): string | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return this.storage.isOwnedByOtherTarget(key) ? undefined : key
    return idIn(key, entry)
  }

  /** The hash of the content that was last pushed to the target, by the id in the file. */
  pushed(key: string): string | undefined {
    const entry = this.entries.get(key) ?? null
    return entry === null ? undefined : hashIn(entry)
  }

  /** True if an entry with this target id is recorded. */
  holds(id: string): boolean {
    return typeof this.entries.get(id) === 'string' || this.#otherIds.has(id)
  }

  /** Everything that the target is known to hold. */
  pushedEntries(): readonly PushedEntry[] {
    return [...this.entries].flatMap(([key, entry]) =>
      entry === null ? [] : [{ key, id: idIn(key, entry) ?? key, hash: hashIn(entry) }],
    )
  }

  /** Records a pending batch. Returns a function that reverts it. */
  send(entries: readonly PendingEntry[]): Promise<() => Promise<void>> {
    const from = this.pending.length
    return this.storage.intend({ pending: { from, entries } }, { pending: { from, entries: [] } })
  }

  /** The ids of the last batch, in its order. */
  answer(ids: readonly (string | undefined)[]): Promise<void> {
    const from = this.pending.length - ids.length
    const answered = this.pending.slice(from).map(({ line, content, question, key }, index): PendingEntry => {
      const id = ids[index]
      // No spread: V8 makes a hidden class for each copy, five times the memory of an entry.
      return { line, content, question, key, id }
    })
    return this.#patch({
      pending: { from, entries: answered },
      entries: answered.flatMap(({ id, key = id, content: hash }): [string, RecordedEntry][] =>
        id === undefined || key === undefined ? [] : [[key, toRecordedEntry({ key, id, hash })]],
      ),
    })
  }

  /** Records that the file has every received id. */
  written(): Promise<void> {
    return this.keepOpen(this.pending.filter(({ id }) => id === undefined))
  }

  /** From here on, these alone are pending. */
  keepOpen(entries: readonly PendingEntry[]): Promise<void> {
    return this.#patch({ pending: { from: 0, entries } })
  }

  /** Records that the target no longer has these entries. `keys` are their ids in the file. */
  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#patch({ entries: keys.map(key => [key, null]) })
  }

  async record(pushed: readonly PushedEntry[]): Promise<void> {
    const entries = pushed.map(entry => [entry.key, toRecordedEntry(entry)] as const)
    if (entries.length > 0) await this.#patch({ entries })
  }

  #patch(patch: EntriesPatch): Promise<void> {
    for (const [key, entry] of patch.entries ?? []) this.#noteIds(key, entry)
    return this.storage.patch(patch)
  }

  #noteIds(key: string, entry: RecordedEntry): void {
    // The target still uses an id that this entry no longer has.
    if (typeof entry !== 'string' && typeof this.entries.get(key) === 'string') this.#otherIds.add(key)
    if (typeof entry !== 'string' && entry !== null) this.#otherIds.add(entry.id)
  }
}

function toRecordedEntry({ key, id, hash }: PushedEntry): RecordedEntry {
  return key === id ? hash : { id, hash }
}

/** The hash of the content that a target has of an entry. */
export function hashIn(entry: NonNullable<RecordedEntry>): string {
  return typeof entry === 'string' ? entry : entry.hash
}

/** The id at the target of the entry that has this id in the file. */
export function idIn(key: string, entry: RecordedEntry): string | undefined {
  return typeof entry === 'string' ? key : entry?.id
}
