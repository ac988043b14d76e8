import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPrefixIndex, sharedLength } from '../../../src/lib/text/prefix-index.ts'

const minLength = 2
/** Few letters, so that texts share much and may be prefixes of one another. */
const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })

test('finds the longest prefix that any of the texts shares, whatever was added and removed', () => {
  fc.assert(
    fc.property(fc.uniqueArray(text), fc.array(fc.nat()), text, (texts, removals, asked) => {
      const index = createPrefixIndex(minLength)
      const left = new Set(texts)
      for (const each of texts) index.add(each)
      for (const place of removals) {
        const removed = texts[place % Math.max(1, texts.length)]
        if (removed !== undefined && left.delete(removed)) index.remove(removed)
      }
      const longest = Math.max(0, ...[...left].map(each => sharedLength(asked, each)))
      expect(index.sharedWith(asked)).toBe(longest < minLength ? 0 : longest)
      for (const each of left) index.remove(each)
      expect(index.size).toBe(0)
    }),
  )
})

test('holds one entry for each text that differs early', () => {
  const index = createPrefixIndex(4)
  for (let number = 0; number < 1000; number++)
    index.add(`${String(number).padStart(4, '0')}${'x'.repeat(80)}`)
  expect(index.size).toBe(1000)
})
