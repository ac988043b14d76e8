import { expect, test } from 'vitest'
import { saysPhrase, spaceWords, toTerm, toWords } from '../../../src/lib/text/words.ts'

test.each([
  ['Good-bye!', ['goodbye', 'good bye'], true],
  ['OK, GOOD BYE now', ['good bye'], true],
  ['That’s all', ["that's all"], true],
  ['¡Adiós!', ['adiós'], true],
  ['goodbyes are hard', ['goodbye'], false],
  ['anything', ['', '!!'], false],
  ['再见。', ['再见'], true],
])('%j says one of %j: %j', (said, phrases, expected) => {
  expect(saysPhrase(said, phrases)).toBe(expected)
})

test('ASCII and other texts are split by the same rule', () => {
  const ascii = String.fromCharCode(...Array(128).keys())
  expect(toWords(ascii)).toEqual(
    toWords(`${ascii}é`)
      .map(word => word.replace(/é$/, ''))
      .filter(Boolean),
  )
  expect(spaceWords(ascii)).toBe(spaceWords(`${ascii} é`).replace(/ é$/, ''))
  expect(['Opening', 'Öffnung', 'café'].map(toTerm)).toEqual(['open', 'offnung', 'cafe'])
})
