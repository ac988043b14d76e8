import { entriesAt, type FileEntry } from './entries.ts'
import type { PushedEntry, PushLedger } from './ledger.ts'

export interface PushPlan {
  /** Entries without an id, in batches: one POST each. */
  readonly inserts: readonly (readonly FileEntry[])[]
  /** Entries with an id whose content is not what was last pushed, in batches: one PUT each. */
  readonly updates: readonly (readonly FileEntry[])[]
  readonly unchanged: readonly FileEntry[]
  /** How many of the updates are sent only because no earlier push of them is known here. PUT is idempotent. */
  readonly unrecorded: number
}

interface PlanOptions {
  readonly batchSize: number
  /** The hash of the content that was last pushed, by the id in the file, if any. */
  pushed(key: string): string | undefined
}

/** The id of an entry at the target, and the one that stands for it in the file. */
export interface AssignedId {
  readonly id: string
  readonly key: string
}

/** The entries of a file, and what is known of them at the target. */
interface FilePlan {
  readonly file: { readonly entries: readonly FileEntry[] }
  readonly ledger: Pick<PushLedger, 'idOf' | 'pushed'>
  readonly batchSize: number
}

/**
 * What a push of a file has to send. `ids` are those that an earlier push has yet to write into the file, by index of
 * entry; `recorded` what it has yet to record. Pure: reads nothing, sends nothing.
 */
export function planFile(
  { file, batchSize, ledger }: FilePlan,
  ids: ReadonlyMap<number, AssignedId>,
  recorded: readonly PushedEntry[] = [],
): PushPlan {
  const hashes = new Map(recorded.map(({ key, hash }) => [key, hash]))
  const entries = entriesAt(file.entries, ledger).map(entry => ({
    ...entry,
    ...ids.get(entry.index),
  }))
  return planPush(entries, { batchSize, pushed: key => hashes.get(key) ?? ledger.pushed(key) })
}

/** What a push of entries has to send. Pure. */
function planPush(entries: readonly FileEntry[], { batchSize, pushed }: PlanOptions): PushPlan {
  const inserts: FileEntry[] = []
  const updates: FileEntry[] = []
  const unchanged: FileEntry[] = []
  let unrecorded = 0
  for (const entry of entries) {
    if (entry.id === undefined) {
      inserts.push(entry)
      continue
    }
    const last = pushed(entry.key ?? entry.id)
    if (last === entry.hashes.content) unchanged.push(entry)
    else updates.push(entry)
    if (last === undefined) unrecorded += 1
  }
  return {
    inserts: batches(inserts, batchSize),
    updates: batches(updates, batchSize),
    unchanged,
    unrecorded,
  }
}

function batches(entries: readonly FileEntry[], size: number): FileEntry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, batch) =>
    entries.slice(batch * size, (batch + 1) * size),
  )
}
