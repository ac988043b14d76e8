import { expect, test } from 'vitest'
import { createHeldPartitions } from '../../src/relay/held-partitions.ts'
import { memoryBucket } from './memory-bucket.ts'

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
