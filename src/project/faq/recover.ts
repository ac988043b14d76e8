import type { FaqEntry } from './entries.ts'
import type { PendingEntry, PushedEntry } from './ledger.ts'

/** An entry whose id is known, and is not in the file. */
interface PlacedEntry {
  readonly entry: FaqEntry
  readonly pushed: PushedEntry
}

/** What is known of the entries of a file and does not stand in it yet. */
export interface Recovery {
  /** Ids that have to be written into the file: of a push that could not, or that the file had and lost. */
  readonly placed: readonly PlacedEntry[]
  /** Entries whose id is in the file already. */
  readonly settled: readonly PendingEntry[]
  /** Entries of which nobody knows whether the service has them. */
  readonly open: readonly OpenEntry[]
}

export interface OpenEntry {
  readonly pending: PendingEntry
  /** The entry in the file as it stands now; undefined when it was removed, or its question changed. */
  readonly entry: FaqEntry | undefined
}

interface Known {
  /** The batch that was on its way. */
  readonly pending: readonly PendingEntry[]
  /** What the target is known to hold. */
  readonly recorded: readonly PushedEntry[]
}

/**
 * What an unfinished batch and a restored file lack: ids that are known. An entry without an id that says just what a
 * recorded one said, whose own id the file has nowhere, is that one. Pure.
 */
export function recover({ pending, recorded }: Known, entries: readonly FaqEntry[]): Recovery {
  const recovery = recoverPending(pending, entries)
  const keys = new Set(entries.flatMap(({ key }) => key ?? []))
  const taken = new Set(recovery.placed.map(({ entry }) => entry.index))
  const known = new Set(recovery.placed.map(({ pushed }) => pushed.id))
  const bare = entries.filter(
    ({ index, key, id }) => key === undefined && id === undefined && !taken.has(index),
  )
  const byContent = new Map(bare.map(entry => [entry.hashes.content, entry]))
  const lost = recorded.flatMap((pushed): PlacedEntry[] => {
    const entry = keys.has(pushed.key) || known.has(pushed.id) ? undefined : byContent.get(pushed.hash)
    if (entry === undefined) return []
    byContent.delete(pushed.hash)
    return [{ entry, pushed }]
  })
  return { ...recovery, placed: [...recovery.placed, ...lost] }
}

/**
 * Finds the entries of an unfinished batch in the file again: by all of their content, else by their question. A person
 * may have edited the file in the meantime, moved entries, or given them ids by hand. Pure.
 */
function recoverPending(pendings: readonly PendingEntry[], entries: readonly FaqEntry[]): Recovery {
  const byId = new Map(entries.flatMap(entry => (entry.id === undefined ? [] : [[entry.id, entry]])))
  const byContent = new Map(entries.map(entry => [entry.hashes.content, entry]))
  const byQuestion = new Map(entries.map(entry => [entry.hashes.question, entry]))
  const placed: PlacedEntry[] = []
  const settled: PendingEntry[] = []
  const open: OpenEntry[] = []
  for (const pending of pendings) {
    const { id } = pending
    const entry = byContent.get(pending.content) ?? byQuestion.get(pending.question)
    if (id !== undefined && byId.has(id)) settled.push(pending)
    else if (id === undefined && entry?.id !== undefined) settled.push(pending)
    else if (id !== undefined && entry !== undefined && entry.id === undefined)
      placed.push({ entry, pushed: { key: entry.key ?? id, id, hash: pending.content } })
    else open.push({ pending, entry })
  }
  return { placed, settled, open }
}
