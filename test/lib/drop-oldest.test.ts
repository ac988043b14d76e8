import { expect, test } from 'vitest'
import { dropOldest } from '../../src/lib/drop-oldest.ts'

test('deletes the oldest entries, also if several were added at once', () => {
  const kept = new Map([1, 2, 3, 4, 5].map(key => [key, `${key}`]))
  dropOldest(kept, 2)
  expect([...kept.keys()]).toEqual([4, 5])
})

test('keeps what fits', () => {
  const kept = new Set(['a', 'b'])
  dropOldest(kept, 2)
  expect([...kept]).toEqual(['a', 'b'])
})
