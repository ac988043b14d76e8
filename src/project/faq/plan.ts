import type { Entry } from './entries.ts'

export interface PushPlan {
  /** Entries without an id, in batches: one POST each. */
  readonly inserts: readonly (readonly Entry[])[]
  /** Entries with an id whose content is not what was last pushed, in batches: one PUT each. */
  readonly updates: readonly (readonly Entry[])[]
  readonly unchanged: readonly Entry[]
  /** How many of the updates are sent only because no earlier push of them is known here. PUT is idempotent. */
  readonly unrecorded: number
}

export interface PlanOptions {
  readonly batchSize: number
  /** The hash of the content that was last pushed, by the id in the file, if any. */
  pushed(key: string): string | undefined
}

/** What a push has to send. Pure: reads nothing, sends nothing. */
export function planPush(entries: readonly Entry[], { batchSize, pushed }: PlanOptions): PushPlan {
  const inserts: Entry[] = []
  const updates: Entry[] = []
  const unchanged: Entry[] = []
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

function batches(entries: readonly Entry[], size: number): Entry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, batch) =>
    entries.slice(batch * size, (batch + 1) * size),
  )
}
