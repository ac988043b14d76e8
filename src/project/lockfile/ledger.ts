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

/** One step of a push, as its log has it. */
export const ledgerStepSchema = lazy(() =>
  z.discriminatedUnion('step', [
    /** A batch is on its way: written before its POST. */
    z.object({ step: z.literal('sent'), entries: z.array(pendingEntrySchema()) }),
    /** The last batch did not reach the service. */
    z.object({ step: z.literal('unsent'), count: z.int() }),
    /** Ids of the last batch, in order; null if the response does not identify one. */
    z.object({ step: z.literal('answered'), ids: z.array(z.nullable(z.string())) }),
    /** The file has all received ids. */
    z.object({ step: z.literal('written') }),
    /** Replaces the pending entries. */
    z.object({ step: z.literal('open'), entries: z.array(pendingEntrySchema()) }),
    z.object({ step: z.literal('pushed'), entries: z.array(z.tuple([z.string(), recordedEntrySchema()])) }),
  ]),
)
export type LedgerStep = Immutable<Infer<typeof ledgerStepSchema>>

export interface LedgerStorage {
  readonly keptIn: string
  /** True if another target has recorded an entry under this id. */
  isOwnedByOtherTarget(key: string): boolean
  /** Writes a step down, durably. */
  append(step: LedgerStep): Promise<void>
}

const noStorage: LedgerStorage = { keptIn: '', isOwnedByOtherTarget: () => false, append: async () => {} }

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
  /** Recorded entries by their id in the file. */
  readonly entries: Map<string, RecordedEntry>
  /** Entries that were sent and are not in the file yet. */
  pending: PendingEntry[]
  readonly storage: LedgerStorage
  /** Ids at the target of entries that are not known by them: most entries have the same id in the file. */
  readonly #otherIds = new Set<string>()

  constructor(
    entries: Iterable<readonly [string, RecordedEntry]> = [],
    pending: readonly PendingEntry[] = [],
    storage: Partial<LedgerStorage> = {},
  ) {
    this.entries = new Map()
    this.pending = [...pending]
    this.storage = { ...noStorage, ...storage }
    for (const [key, entry] of entries) this.#record(key, entry)
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
  async send(entries: readonly PendingEntry[]): Promise<() => Promise<void>> {
    const count = entries.length
    await this.#take({ step: 'sent', entries }).catch(error => {
      // What could not be written down is not sent.
      this.apply({ step: 'unsent', count })
      throw error
    })
    return () => this.#take({ step: 'unsent', count })
  }

  /** The ids of the last batch, in its order. */
  answer(ids: readonly (string | undefined)[]): Promise<void> {
    return this.#take({ step: 'answered', ids: ids.map(id => id ?? null) })
  }

  /** Records that the file has every received id. */
  written(): Promise<void> {
    return this.#take({ step: 'written' })
  }

  /** From here on, these alone are pending. */
  keepOpen(entries: readonly PendingEntry[]): Promise<void> {
    return this.#take({ step: 'open', entries })
  }

  /** Records that the target no longer has these entries. `keys` are their ids in the file. `isKept: false` is for a preview. */
  async forget(keys: readonly string[], { isKept }: { readonly isKept: boolean }): Promise<void> {
    const step: LedgerStep = { step: 'pushed', entries: keys.map(key => [key, null]) }
    if (keys.length === 0) return
    if (isKept) await this.#take(step)
    else this.apply(step)
  }

  async record(pushed: readonly PushedEntry[]): Promise<void> {
    const entries = pushed.map(entry => [entry.key, toRecordedEntry(entry)] as const)
    if (entries.length > 0) await this.#take({ step: 'pushed', entries })
  }

  #take(step: LedgerStep): Promise<void> {
    this.apply(step)
    return this.storage.append(step)
  }

  /** A step that is written down already. */
  apply(step: LedgerStep): void {
    switch (step.step) {
      case 'sent':
        for (const entry of step.entries) this.pending.push(entry)
        break
      case 'unsent':
        this.pending.length -= step.count
        break
      case 'answered':
        this.#answer(step.ids)
        break
      case 'written':
        this.pending = this.pending.filter(({ id }) => id === undefined)
        break
      case 'open':
        this.pending = [...step.entries]
        break
      case 'pushed':
        for (const [key, entry] of step.entries) this.#record(key, entry)
    }
  }

  /** The entries that the last step recorded. */
  changedBy(step: LedgerStep): readonly (readonly [string, RecordedEntry])[] {
    if (step.step === 'pushed') return step.entries
    if (step.step !== 'answered' || step.ids.length === 0) return []
    return this.pending.slice(-step.ids.length).flatMap(({ id, key = id }) => {
      const entry = key === undefined ? undefined : this.entries.get(key)
      return id === undefined || key === undefined || entry === undefined ? [] : [[key, entry] as const]
    })
  }

  #answer(ids: readonly (string | null)[]): void {
    const start = this.pending.length - ids.length
    ids.forEach((id, index) => {
      const pendingEntry = this.pending[start + index]
      if (id === null || pendingEntry === undefined) return
      // No spread: V8 makes a hidden class for each copy, five times the memory of an entry.
      const { line, content, question, key } = pendingEntry
      this.pending[start + index] = { line, content, question, key, id }
      this.#record(
        pendingEntry.key ?? id,
        toRecordedEntry({ key: pendingEntry.key ?? id, id, hash: pendingEntry.content }),
      )
    })
  }

  #record(key: string, entry: RecordedEntry): void {
    // The target still uses an id that this entry no longer has.
    if (typeof entry !== 'string' && typeof this.entries.get(key) === 'string') this.#otherIds.add(key)
    this.entries.set(key, entry)
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
