import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, encodeText, plainText } from '../../../src/files/text/index.ts'
import { codePoint } from '../../helpers/code-point.ts'

const text = 'name: Jörg Łukasz 李 😀\r\nhint: x\n'
const utf16 = (content: string) => Buffer.from(content, 'utf16le')

test.each([
  ['UTF-8', Buffer.from(text), text],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`), `\ufeff${text}`],
  ['UTF-16', utf16(`\ufeff${text}`), `\ufeff${text}`],
  ['UTF-16, most significant byte first', utf16(`\ufeff${text}`).swap16(), `\ufeff${text}`],
  ['UTF-16 without a mark', utf16(text), text],
  ['UTF-16 without a mark, most significant byte first', utf16(text).swap16(), text],
  [
    'UTF-16 without a mark that is cut within a character by the inspection',
    utf16(`ab${'😃a'.repeat(2000)}`),
    `ab${'😃a'.repeat(2000)}`,
  ],
  ['UTF-16 of letters with a zero on the other side', utf16(`${text}Āris`), `${text}Āris`],
  ['nothing', Buffer.alloc(0), ''],
])('decodes %s, and encodes it again', (_, bytes, expected) => {
  const decoded = decodeText(bytes)
  expect(decoded).toMatchObject({ text: expected })
  if ('text' in decoded) expect(encodeText(decoded.text, decoded.encoding)).toEqual(bytes)
})

test('any text comes back from each Unicode encoding with a mark', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), content => {
      fc.pre(content.isWellFormed() && !content.includes('\0'))
      for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const)
        expect(decodeText(encodeText(`\ufeff${content}`, encoding))).toEqual({
          text: `\ufeff${content}`,
          encoding,
        })
    }),
  )
})

test.each([
  ['Latin-1', Buffer.from('a\nb caf\u00e9', 'latin1'), 'wrong-encoding', { line: 2, column: 6 }],
  [
    'U+FFFD before the invalid byte',
    Buffer.from('\uFFFD\u00e9').subarray(0, 4),
    'wrong-encoding',
    { line: 1, column: 2 },
  ],
  [
    'a mark of UTF-8 before Latin-1',
    Buffer.from('ï»¿a\né', 'latin1'),
    'wrong-encoding',
    { line: 2, column: 1 },
  ],
  ['half a surrogate pair', utf16('\ufeffa\n😀').subarray(0, -2), 'wrong-encoding', { line: 2, column: 1 }],
  ['half a character', utf16('\ufeffa\nb').subarray(0, -1), 'wrong-encoding', { line: 2, column: 1 }],
  ['a zero byte', Buffer.from('a\nb\0c'), 'binary-file', { line: 2, column: 2 }],
  ['a zero character in UTF-16', utf16('\ufeffa\nb\0c'), 'binary-file', { line: 2, column: 2 }],
  ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'binary-file', { line: 1, column: 1 }],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1, 2]), 'binary-file', undefined],
  ['few bytes', Buffer.from([1, 2, 0, 3]), 'binary-file', { line: 1, column: 3 }],
])('refuses %s with its position', (_, bytes, code, position) => {
  const decoded = decodeText(bytes)
  expect('error' in decoded && decoded.error).toMatchObject({ code, ...(position && { position }) })
})

test('plain text has LF, and no byte order mark', () => {
  expect(plainText('\ufeffa\r\nb\rc\nd\r\r\n')).toBe('a\nb\nc\nd\n\n')
})
