import type { Bucket } from '../../src/relay/bucket.ts'

/** A bucket in memory. */
export function memoryBucket(): Bucket {
  const entries = new Map<string, { readonly value: unknown; readonly revision: number }>()
  let revisions = 0
  return {
    async get(key) {
      const entry = entries.get(key)
      return entry && { ...entry, at: new Date(0) }
    },
    async write(key, value, revision) {
      if ((entries.get(key)?.revision ?? 0) !== revision) return undefined
      entries.set(key, { value, revision: ++revisions })
      return revisions
    },
    watch: async () => {},
    keys: async () => [...entries.keys()],
    remove: async key => void entries.delete(key),
  }
}
