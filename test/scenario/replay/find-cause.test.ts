import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCause } from '../../../src/scenario/replay/find-cause.ts'

test('finds the change with which a difference appears, with a logarithmic number of replays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 300 }), fc.nat(), async (count, seed) => {
      const changes = Array.from({ length: count }, (_, index) => index)
      const cause = seed % count
      let replays = 0
      const found = await findCause(changes, async included => {
        replays += 1
        return included.includes(cause)
      })
      expect(found).toBe(cause)
      expect(replays).toBeLessThanOrEqual(Math.ceil(Math.log2(count)))
    }),
  )
})

test('of changes that only act together, it finds the last', async () => {
  const found = await findCause(
    ['a', 'b', 'c'],
    async included => included.includes('a') && included.includes('b'),
  )
  expect(found).toBe('b')
  expect(await findCause([], async () => true)).toBeUndefined()
})
