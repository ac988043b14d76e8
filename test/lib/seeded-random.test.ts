import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/lib/deterministic.ts'

const words = fc.array(fc.oneof(fc.string(), fc.integer()))

test('the same seed and texts return the same number in [0, 1), in any order', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(words, { minLength: 1 }), (seed, questions) => {
      const forwards = seededRandom(seed)
      const backwards = seededRandom(seed)
      const numbers = questions.map(what => forwards(...what))
      const again = [...questions].reverse().map(what => backwards(...what))
      expect(again.reverse()).toEqual(numbers)
      for (const number of numbers) {
        expect(number).toBeGreaterThanOrEqual(0)
        expect(number).toBeLessThan(1)
      }
    }),
  )
})

test('seeds and texts differ, even if concatenated alike', () => {
  const chance = seededRandom(1)
  expect(
    new Set([chance('a', 'b'), chance('ab'), chance('a,b'), chance('a', 'b', ''), seededRandom(2)('a', 'b')])
      .size,
  ).toBe(5)
  expect(chance('a', 1)).not.toBe(chance('a', '1'))
})

test('numbers spread evenly', () => {
  const chance = seededRandom(3)
  const tenths = Array<number>(10).fill(0)
  for (let index = 0; index < 10_000; index += 1) {
    const tenth = Math.floor(chance('call', index) * 10)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(150)
})
