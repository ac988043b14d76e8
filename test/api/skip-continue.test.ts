import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAnswerBeginnings } from '../../src/api/skip-continue.ts'

const interim = 'HTTP/1.1 100 Continue\r\n\r\n'
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n'

/** What is left of bytes that arrive in pieces of these lengths. */
function passed(text: string, lengths: readonly number[]): string {
  const beginnings = createAnswerBeginnings()
  beginnings.expect()
  let rest = Buffer.from(text, 'latin1')
  let left = ''
  for (const length of [...lengths, rest.length]) {
    left += beginnings.pass(rest.subarray(0, length)).toString('latin1')
    rest = rest.subarray(length)
  }
  return left
}

test('however the bytes are cut, only what stands before the answer is taken away', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4 }), pieces, (times, lengths) => {
      // A body may say it, too.
      expect(passed(`${interim.repeat(times)}${answer}${interim}`, lengths)).toBe(`${answer}${interim}`)
    }),
  )
})

test.each([
  'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
  'HTTP/1.1 1000 No\r\n\r\n',
  '220 mail.example.com ready\r\n',
  `HTTP/1.1 100 Continue\r\nx: ${'x'.repeat(20_000)}`,
])('%j is passed on as it is', text => {
  expect(passed(text, [5, 9])).toBe(text)
})
