import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colors } from '../../src/output/colors.ts'
import { escapeForTerminal, toJsonDocument, toJsonLine } from '../../src/output/escape.ts'
import { bold, dim, paint, text } from '../../src/output/text.ts'
import { wellFormed } from '../helpers/well-formed.ts'

const hostile = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u

/** Strings in which the dangerous characters are as common as the harmless ones. */
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\x1b',
      '[',
      '3',
      '1',
      'm',
      '\x9b',
      '\x07',
      '\r',
      '\b',
      '\x7f',
      '\u202e',
      '\u2066',
      '\ud800',
      '\udc00',
      '\u2028',
    ),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  ),
})

test.each([
  ['\x1b[31mred', '\\x1b[31mred'],
  ['a\u202eb', 'a\\u202eb'],
  ['\x9b31m', '\\x9b31m'],
  ['line\nnext\ttab', 'line\\nnext\\ttab'],
  ['\ud83d\ude00', '\ud83d\ude00'],
  ['\ud83d', '\\ud83d'],
])('%j becomes %j', (hostileText, visible) => {
  expect(escapeForTerminal(hostileText)).toBe(visible)
})

test('keeps newline and tab where they are laid out', () => {
  expect(escapeForTerminal('a\n\tb\r', { keep: '\n\t' })).toBe('a\n\tb\\r')
})

test('no hostile character is left, and escaping twice changes nothing', () => {
  fc.assert(
    fc.property(nasty, value => {
      const escaped = escapeForTerminal(value)
      expect(escaped).not.toMatch(hostile)
      expect(escapeForTerminal(escaped)).toBe(escaped)
    }),
  )
})

test('a line of JSON holds no hostile character and reads back as the same value, but for lone surrogates', () => {
  fc.assert(
    fc.property(fc.dictionary(nasty, nasty), value => {
      const plain = wellFormed(JSON.parse(JSON.stringify(value)))
      expect(toJsonLine(value)).not.toMatch(hostile)
      expect(JSON.parse(toJsonLine(value))).toEqual(plain)
      expect(JSON.parse(toJsonDocument(value))).toEqual(plain)
    }),
  )
})

test('a lone surrogate becomes U+FFFD, at which no parser stumbles; one that the text spells out stays', () => {
  expect(toJsonLine('a\ud800b')).toBe('"a\ufffdb"')
  expect(toJsonLine(['\udfff', '\\\ud83d', '\\ud800', '\u{1F642}'])).toBe(
    '["\ufffd","\\\\\ufffd","\\\\ud800","\u{1F642}"]',
  )
})

test('painting emits no escape sequence but our own', () => {
  fc.assert(
    fc.property(nasty, value => {
      const painted = paint(text`${bold(value)} and ${dim(value)}`, { color: colors })
      expect(painted.replaceAll(/\x1b\[(1|2|22)m/g, '').replaceAll(/[\n\t]/g, '')).not.toMatch(hostile)
      expect(paint(bold(value), { color: false })).toBe(paint(value, { color: false }))
    }),
  )
})
