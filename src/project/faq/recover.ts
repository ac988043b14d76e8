import type { Entry } from './entries.ts'
import type { PendingEntry } from './ledger.ts'

/** What an earlier push left undone, as the file stands now. */
export interface Recovery {
  /** Ids that the service assigned and that have yet to be written into the file. */
  readonly placed: readonly { readonly entry: Entry; readonly id: string; readonly pending: PendingEntry }[]
  /** Entries whose id is in the file already. */
  readonly settled: readonly PendingEntry[]
  /** Entries of which nobody knows whether the service has them. */
  readonly open: readonly OpenEntry[]
}

export interface OpenEntry {
  readonly pending: PendingEntry
  /** The entry in the file as it stands now; undefined when it was removed, or its question changed. */
  readonly entry: Entry | undefined
}

/**
 * Finds the entries of an unfinished batch in the file again: by all of their content, else by their question. A person
 * may have edited the file in the meantime, moved entries, or given them ids by hand. Pure.
 */
export function recoverPending(pendings: readonly PendingEntry[], entries: readonly Entry[]): Recovery {
  const byId = new Map(entries.flatMap(entry => (entry.id === undefined ? [] : [[entry.id, entry]])))
  const byContent = new Map(entries.map(entry => [entry.hashes.content, entry]))
  const byQuestion = new Map(entries.map(entry => [entry.hashes.question, entry]))
  const placed: { entry: Entry; id: string; pending: PendingEntry }[] = []
  const settled: PendingEntry[] = []
  const open: OpenEntry[] = []
  for (const pending of pendings) {
    const { id } = pending
    const entry = byContent.get(pending.content) ?? byQuestion.get(pending.question)
    if (id !== undefined && byId.has(id)) settled.push(pending)
    else if (id === undefined && entry?.id !== undefined) settled.push(pending)
    else if (id !== undefined && entry !== undefined && entry.id === undefined)
      placed.push({ entry, id, pending })
    else open.push({ pending, entry })
  }
  return { placed, settled, open }
}
