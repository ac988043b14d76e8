import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashContent } from '../../src/lib/hash.ts'
import { chunksOf } from '../../src/lib/text/chunks.ts'

test('a long text has the same hash as its bytes', () => {
  for (const length of [999_999, 1_000_000, 1_100_000]) {
    // The pairs begin at odd offsets.
    const text = `x${'\u{1f600}'.repeat(length / 2)}`
    const expected = createHash('sha256').update(Buffer.from(text)).digest('base64url')
    expect(hashContent(text)).toBe(expected)
    expect(hashContent(Buffer.from(text))).toBe(expected)
  }
})

test('chunks join to the text, keep to their length, and split no surrogate pair', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '\u{1f600}', '\ud83d', '\ude00'), maxLength: 40 })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 5 }), (text, maxLength) => {
      const chunks = [...chunksOf(text, maxLength)]
      expect(chunks.join('')).toBe(text)
      for (const [index, chunk] of chunks.entries()) {
        expect(chunk.length).toBeLessThanOrEqual(maxLength)
        const next = chunks[index + 1] ?? ''
        expect(/[\ud800-\udbff]$/.test(chunk) && /^[\udc00-\udfff]/.test(next)).toBe(false)
      }
    }),
  )
})
