import type { Bucket } from '../../src/relay/bucket.ts'

interface MemoryBucketOptions {
  readonly now?: () => number
  /** True if an entry that was written at a time has ended. */
  readonly isExpired?: (writtenAt: number) => boolean
}

/** A bucket in memory, whose entries end when the test says so. */
export function memoryBucket({ now = () => 0, isExpired = () => false }: MemoryBucketOptions = {}): Bucket {
  const entries = new Map<
    string,
    { readonly value: unknown; readonly revision: number; readonly at: number }
  >()
  let revisions = 0
  const expire = () => {
    for (const [key, { at }] of entries) if (isExpired(at)) entries.delete(key)
  }
  return {
    async get(key) {
      expire()
      const entry = entries.get(key)
      return entry && { ...entry, at: new Date(entry.at) }
    },
    async write(key, value, revision) {
      expire()
      if ((entries.get(key)?.revision ?? 0) !== revision) return undefined
      entries.set(key, { value, revision: ++revisions, at: now() })
      return revisions
    },
    watch: async () => {},
    async keys() {
      expire()
      return [...entries.keys()]
    },
    remove: async key => void entries.delete(key),
  }
}
