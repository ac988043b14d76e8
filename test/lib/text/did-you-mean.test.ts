import fc from 'fast-check'
import { expect, test } from 'vitest'
import { typingError } from '../../../src/lib/text/did-you-mean.ts'

const name = fc.stringMatching(/^[a-z]{3,12}$/)

test('finds a name with a missing, extra, wrong or swapped letter', () => {
  fc.assert(
    fc.property(name, fc.nat(), fc.constantFrom(...'xyz'), (word, place, letter) => {
      const at = place % word.length
      const before = word.slice(0, at)
      const after = word.slice(at + 1)
      const swapped = before + (after[0] ?? '') + word[at] + after.slice(1)
      for (const typed of [
        before + after,
        before + letter + word.slice(at),
        before + letter + after,
        swapped,
      ]) {
        expect(typingError(typed, [word])).toBe(word)
      }
    }),
  )
})

test('ignores a word that differs in half of its letters', () => {
  fc.assert(
    fc.property(name, word => {
      const other = [...word].map((letter, place) => (place % 2 === 0 ? '-' : letter)).join('')
      fc.pre(word.length > 4)
      expect(typingError(other, [word])).toBeUndefined()
    }),
  )
})

test.each([
  ['update', ['create']],
  ['pull', ['push']],
  ['stop', ['show', 'start']],
  ['delete', ['create']],
  ['', ['call']],
])('%s is not a typo of %j', (word, names) => {
  expect(typingError(word, names)).toBeUndefined()
})
