import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOutputLines } from '../../../src/lib/process/output-lines.ts'

test('lines are the same however the bytes are cut', () => {
  const text = fc.array(fc.constantFrom('a', 'é', '🙂', ' ', '\n', '\r\n', '\r')).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 6 }), (written, cuts) => {
      const bytes = Buffer.from(written)
      const places = [0, ...cuts.map(cut => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b)
      const lines: string[] = []
      const output = createOutputLines(1000, line => lines.push(line))
      places.slice(1).forEach((end, index) => {
        output.push(bytes.subarray(places[index], end))
      })
      output.end()
      const expected = written.split(/\r\n|\n|\r/)
      expect(lines).toEqual(expected.at(-1) === '' ? expected.slice(0, -1) : expected)
    }),
  )
})

test('splits a long line into pieces without losing any', () => {
  const lines: string[] = []
  const output = createOutputLines(4, line => lines.push(line))
  output.push(Buffer.from('abcdefghij'))
  expect(lines).toEqual(['abcd', 'efgh'])
  output.push(Buffer.from('kl\nmnopq\n'))
  output.end()
  expect(lines).toEqual(['abcd', 'efgh', 'ijkl', 'mnop', 'q'])
})
