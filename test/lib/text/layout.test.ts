import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { cut, shownWidth, wrap } from '../../../src/lib/text/layout.ts'
import { runs } from '../../helpers/every-case.ts'

test('keeps a word on one line if it fits, and starts it where fewer lines are needed', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrap('abcd abcdefgh', 6)).toEqual(['abcd', 'abcdef', 'gh'])
  expect(wrap('a abcdefghi', 6)).toEqual(['a abcd', 'efghi'])
})

test('keeps lines without trailing spaces', () => {
  expect(wrap('  one  two \n\n three', 20)).toEqual(['one  two', '', 'three'])
  expect(wrap('', 20)).toEqual([''])
})

test('never splits a grapheme unless no line can contain it', () => {
  expect(wrap('👩‍👩‍👧‍👦👩‍👩‍👧‍👦🇩🇪🇫🇷', 4)).toEqual(['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', '🇩🇪🇫🇷'])
  for (const line of wrap(`क${'\u0903'.repeat(50)}`, 8)) expect(stringWidth(line)).toBeLessThanOrEqual(8)
})

test('Latin letters, punctuation, arrows and lines take as many columns as string-width says', () => {
  const codes = [
    [0xa0, 0x250],
    [0x2010, 0x2030],
    [0x2190, 0x21a0],
    [0x2500, 0x2620],
  ].flatMap(([first = 0, end = 0]) => Array.from({ length: end - first }, (_, index) => first + index))
  const texts = codes.map(code => `a${String.fromCharCode(code)}b`)
  expect(texts.filter(text => shownWidth(text) !== stringWidth(text))).toEqual([])
})

test('a long text without spaces is wrapped at once', () => {
  const lines = wrap('日'.repeat(350_000), 69)
  expect(lines).toHaveLength(Math.ceil(350_000 / 34))
  expect(wrap(`a${'\u0301'.repeat(300_000)}`, 69)).toHaveLength(1)
})

test('characters of a long text are those of the whole, at any cut', () => {
  const piece = fc.constantFrom(
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    '👍🏽',
    'e\u0301',
    'क्षि',
    '日',
    'x',
    '\u{1d165}',
    `z${'\u0301'.repeat(600)}`,
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 300, maxLength: 700, size: 'max' }), pieces => {
      const text = pieces.join('')
      const lines = wrap(text, 10)
      expect(lines.join('')).toBe(text)
      const starts = new Set(
        [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)].map(
          ({ index }) => index,
        ),
      )
      let place = 0
      for (const line of lines) {
        expect(starts.has(place)).toBe(true)
        expect(stringWidth(line)).toBeLessThanOrEqual(10)
        place += line.length
      }
    }),
    { numRuns: runs(20) },
  )
})

test('truncates a long text with an ellipsis and keeps one that fits', () => {
  expect(cut('hello', 5)).toBe('hello')
  expect(cut('hello!', 5)).toBe('hell…')
  expect(cut('日本語', 4)).toBe('日…')
  expect(cut('hello', 0)).toBe('')
})

test('wraps ASCII like other text of the same widths', () => {
  const accented = (words: string) => words.replaceAll('a', 'ä')
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '-'), maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (words, columns) => {
        // With an accent somewhere, no line takes the short way of ASCII.
        const text = words
          .split('\n')
          .map(line => `${line} a`)
          .join('\n')
        expect(wrap(text, columns).map(accented)).toEqual(wrap(accented(text), columns))
      },
    ),
    { numRuns: runs(500) },
  )
})
