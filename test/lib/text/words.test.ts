import { expect, test } from 'vitest'
import { saysPhrase } from '../../../src/lib/text/words.ts'

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
