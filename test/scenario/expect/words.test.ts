import { expect, test } from 'vitest'
import { countWords } from '../../../src/scenario/expect/text.ts'

test.each([
  ['', 0],
  [' — … ! ', 0],
  ['We mend e-bikes, don’t we?', 5],
  ['At 10:40 it costs $3.50 (or 4 %).', 7],
  ['Grüße aus Köln', 3],
  ['今日は良い天気です', 5],
  ['今日は、良い天気です。', 5],
  ['สวัสดีครับ', 2],
  ['नमस्ते दुनिया', 2],
  ['مرحبا بك', 2],
  ['Hello 世界', 2],
])('%j has %i words', (text, words) => {
  expect(countWords(text)).toBe(words)
})

test('counts words in a million characters without spaces', () => {
  expect(countWords('天気'.repeat(500_000))).toBeGreaterThan(100_000)
  expect(countWords('a'.repeat(1_000_000))).toBe(1)
  expect(countWords('word '.repeat(200_000))).toBe(200_000)
})
