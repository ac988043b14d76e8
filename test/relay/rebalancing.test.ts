import { expect, test } from 'vitest'
import { createHeldPartitions } from '../../src/relay/held-partitions.ts'
import { createRebalancing } from '../../src/relay/rebalancing.ts'
import { partitions } from '../../src/relay/subjects.ts'
import { manualClock } from '../helpers/manual-clock.ts'
import { memoryBucket } from './memory-bucket.ts'

const position = { start: 1, next: 1, done: [] }
const stream = 'created'

/** A tail that reads half of the partitions; the one that reads the others is not connected. */
async function startHalf(isReconnected: boolean) {
  const positions = memoryBucket()
  const tails = ['m1', 'm2'].map(member => createHeldPartitions({ name: 'ada', member }))
  for (const [index, partition] of partitions.entries())
    await tails[index % 2]?.claim(positions, partition, { position, readFrom: 1, stream, revision: 0 })
  const held = tails[0] ?? createHeldPartitions({ name: 'ada', member: 'm1' })
  let nowMs = 0
  const rebalance = createRebalancing({
    // Nothing was read before: no earlier message is asked for.
    jsm: Object.create(null),
    ...{ stream: 'calls', member: 'm1', isShared: true, isReconnected, start: undefined, endOfStream: 1 },
    ...{ positions, heldPartitions: held, lease: { members: async () => new Set(['m1']) } },
    readers: { adjust: async () => undefined },
    sink: { onEvent() {} },
    ...{ clock: manualClock(), monotonicMs: () => nowMs, signal: new AbortController().signal },
    readState: async () => ({ created: stream, first: 1, last: 0 }),
    isClosing: () => false,
    run: work => void work(),
  })
  return {
    held,
    async at(milliseconds: number) {
      nowMs = milliseconds
      await rebalance()
    },
  }
}

test('a tail that connects again waits until others had time to do so too', async () => {
  const { held, at } = await startHalf(true)
  await at(0)
  await at(2900)
  expect(held.size).toBe(16)
  await at(3100)
  expect(held.size).toBe(32)
})

test('a tail claims the partitions of one that died at once', async () => {
  const { held, at } = await startHalf(false)
  await at(0)
  expect(held.size).toBe(32)
})
