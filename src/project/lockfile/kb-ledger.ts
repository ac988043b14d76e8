import type { Address } from '../address.ts'
import type { EntryText, FileEntry } from '../faq/entries.ts'
import type { PushedEntry, PushLedger, Target } from '../faq/ledger.ts'
import type { Snapshot } from '../snapshot.ts'
import type { LockStore } from './lock-store.ts'
import { type Lockfile, lockfileName, type Recorded, type RecordedEntry } from './lockfile.ts'

/** What a ledger answers without being written. */
export type LedgerView = Pick<PushLedger, 'idOf' | 'pushed' | 'holds' | 'recorded'>

/**
 * What the lockfile knows of the entries of a knowledge base. An id in the file that only another target has recorded is
 * no id of this one: the entry is new here. One that nobody recorded was written by hand, and is taken at its word.
 */
export function ledgerView(
  recorded: Recorded | undefined,
  isElsewhere: (key: string) => boolean,
): LedgerView {
  const entries = new Map(Object.entries(recorded?.entries ?? {}))
  const ids = new Set([...entries].flatMap(([key, entry]) => idIn(key, entry) ?? []))
  return {
    idOf(key) {
      const entry = entries.get(key)
      if (entry === undefined) return isElsewhere(key) ? undefined : key
      return idIn(key, entry)
    },
    pushed(key) {
      const entry = entries.get(key) ?? null
      return entry === null ? undefined : hashIn(entry)
    },
    holds: id => ids.has(id),
    recorded: () => [...entries].flatMap(([key, entry]) => pushedEntry(key, entry)),
  }
}

/** Whether another target of the lockfile has recorded an entry under an id, whatever its file is called now. */
export function elsewhere({ targets }: Lockfile, target: string): (key: string) => boolean {
  const keys = new Set(
    Object.entries(targets).flatMap(([name, { resources }]) =>
      name === target ? [] : Object.values(resources).flatMap(({ entries = {} }) => Object.keys(entries)),
    ),
  )
  return key => keys.has(key)
}

/** The ledger of a knowledge base in a project: a part of the lockfile. */
export function kbLedger(
  store: LockStore,
  address: Address,
  {
    target,
    snapshot,
    isElsewhere,
    texts,
  }: {
    readonly target: Target
    readonly snapshot: Snapshot
    readonly isElsewhere: (key: string) => boolean
    /** Of the file's entries; undefined keeps none. */
    readonly texts: TextsByHash | undefined
  },
): PushLedger {
  let view: { of: Recorded | undefined; ledger: LedgerView } | undefined
  const now = () => {
    const recorded = store.recorded(address)
    if (view === undefined || view.of !== recorded)
      view = { of: recorded, ledger: ledgerView(recorded, isElsewhere) }
    return view.ledger
  }
  const save = (edit: (recorded: Recorded) => Recorded) =>
    store.record(address, recorded => withTexts(edit({ ...recorded, ...snapshot }), texts))
  const { pending } = store.recorded(address) ?? {}
  return {
    pending: pending === undefined ? undefined : { ...target, entries: [...pending] },
    pendingFile: lockfileName,
    idOf: key => now().idOf(key),
    pushed: key => now().pushed(key),
    holds: id => now().holds(id),
    recorded: () => now().recorded(),
    async record(pushed) {
      if (pushed.length === 0) return
      await save(recorded => ({
        ...recorded,
        entries: { ...recorded.entries, ...Object.fromEntries(pushed.map(toEntry)) },
      }))
    },
    savePending: entries =>
      store.intend(address, recorded => ({ ...recorded, ...snapshot, pending: entries })),
    clearPending: () => save(({ pending: _, ...recorded }) => recorded),
  }
}

/** The record with a text for each of its entries, as far as they are known. */
function withTexts({ texts: before = {}, ...recorded }: Recorded, known: TextsByHash | undefined): Recorded {
  if (known === undefined) return recorded
  const texts = Object.entries(recorded.entries ?? {}).flatMap(([key, entry]): [string, EntryText][] => {
    if (entry === null) return []
    // While an update is on its way, the text is the one that was sent before.
    const text = known.get(hashIn(entry)) ?? (Object.hasOwn(before, key) ? before[key] : undefined)
    return text === undefined ? [] : [[key, text]]
  })
  return texts.length === 0 ? recorded : { ...recorded, texts: Object.fromEntries(texts) }
}

function toEntry({ key, id, hash }: PushedEntry): [string, RecordedEntry] {
  return [key, key === id ? hash : { id, hash }]
}

function pushedEntry(key: string, entry: RecordedEntry): PushedEntry[] {
  if (entry === null) return []
  return [typeof entry === 'string' ? { key, id: key, hash: entry } : { key, ...entry }]
}

function hashIn(entry: NonNullable<RecordedEntry>): string {
  return typeof entry === 'string' ? entry : entry.hash
}

function idIn(key: string, entry: RecordedEntry): string | undefined {
  return typeof entry === 'string' ? key : entry?.id
}

/** Hash of an entry's content → its text. */
type TextsByHash = ReadonlyMap<string, EntryText>

/** Larger knowledge bases keep hashes alone: a lockfile is read and written as a whole, and reviewed by people. */
const maxEntries = 2000
/** Characters of all texts together. */
const maxCharacters = 2_000_000

/** The texts of a file's entries that the lockfile may keep; undefined where they are too many. */
export function textsToKeep(entries: readonly FileEntry[]): TextsByHash | undefined {
  if (entries.length > maxEntries) return undefined
  const texts = new Map<string, EntryText>()
  let characters = 0
  for (const { hashes, text } of entries) {
    if (text === undefined) continue
    characters += JSON.stringify(text).length
    if (characters > maxCharacters) return undefined
    texts.set(hashes.content, text)
  }
  return texts
}

/** What the lockfile has of an entry, by the id that the file has for it. */
export function entryTextOf(recorded: Recorded | undefined, key: string): EntryText | undefined {
  const texts = recorded?.texts ?? {}
  return Object.hasOwn(texts, key) ? texts[key] : undefined
}
