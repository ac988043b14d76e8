import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeModelError } from '../../../src/sandbox/model/chat-model.ts'
import { codePoint } from '../../helpers/code-point.ts'

const nothing = { secrets: [], messages: [] }

test.each([
  [{ error: { message: 'overloaded' } }, ': overloaded'],
  [{ error: 'overloaded' }, ': overloaded'],
  [{ message: 'over\n loaded' }, ': over loaded'],
  [{ detail: 'overloaded' }, ': overloaded'],
  ['overloaded', ': overloaded'],
  [{ error: { message: ' ' } }, ': {"error":{"message":" "}}'],
  [{ error: [1] }, ': {"error":[1]}'],
  [[{ loc: ['body'], msg: 'no such model' }], ': [{"loc":["body"],"msg":"no such model"}]'],
  [null, ''],
  [{ message: '\u001b[2J\u202egone' }, ': \\x1b[2J\\u202egone'],
])('%j says "%s"', (body, sentence) => {
  expect(describeModelError(body, nothing)).toBe(sentence)
})

test('a sentence is one line of at most 200 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 1000 }), text => {
      const sentence = describeModelError(text, nothing)
      expect(sentence.length).toBeLessThanOrEqual(202)
      // Not all of Cf: the joiners of hieroglyphs and the number signs of Arabic are visible, and stay.
      expect(sentence).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
    }),
    { examples: [['\u{13430}'], ['\u0600'], ['\u061c\u2028']] },
  )
})

test('no part of a secret is shown, at any cut of the sentence', () => {
  const secret = 'sk-0123456789abcdef'
  for (let before = 0; before < 400; before++) {
    const sentence = describeModelError(`${'x'.repeat(before)} ${secret}`, { ...nothing, secrets: [secret] })
    expect(sentence).not.toContain('sk-')
  }
  const concealed = describeModelError('x is no key of box', { ...nothing, secrets: ['x'] })
  expect(concealed).toBe(': [redacted] is no key of box')
})

test('omits a sentence that repeats a piece of the prompt', () => {
  const messages = [{ role: 'user', content: 'My card number\nis 4111 1111 1111 1111.' }] as const
  expect(describeModelError('bad message: my card', { ...nothing, messages })).toBe(': bad message: my card')
  expect(describeModelError('bad message: “number is 4111 1111…”', { ...nothing, messages })).toBe('')
})
