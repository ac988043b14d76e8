import { expect, test } from 'vitest'
import type { Bucket } from '../../src/relay/bucket.ts'
import { createHeldPartitions } from '../../src/relay/held-partitions.ts'

/** A bucket in memory. */
function memoryBucket(): Bucket {
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

test('a partition is read again whose release was interrupted by the end of the connection', async () => {
  const bucket = memoryBucket()
  const held = createHeldPartitions({ name: 'ada', member: 'm1' })
  const position = { start: 1, next: 1, done: [] }
  await held.claim(bucket, 'p00', { position, readFrom: 1, stream: 'created', revision: 0 })
  const own = held.get('p00')
  if (own === undefined) throw new Error('not claimed')
  own.isClosing = true
  await held.verify(bucket, () => true)
  expect(held.get('p00')).toMatchObject({ isClosing: false, isLost: false })
})
