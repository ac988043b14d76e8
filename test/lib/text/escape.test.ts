import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colors } from '../../../src/cli/shell/output/colors.ts'
import {
  escapeForTerminal,
  escapeRegExp,
  oneLine,
  quoteForShell,
  toJsonDocument,
  toJsonLine,
} from '../../../src/lib/text/escape.ts'
import { bold, dim, paint, text } from '../../../src/lib/text/text.ts'
import { codePoint } from '../../helpers/code-point.ts'
import { wellFormed } from '../../helpers/well-formed.ts'

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
      '\u200b',
      '\u200d',
      '\ufe0f',
      '\u0301',
      '\u{e0041}',
      '\u034f',
      '\u200c',
      '👩',
      '♂',
      'م',
      '葛',
      '1',
    ),
    fc.string({ minLength: 1, maxLength: 1, unit: codePoint }),
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

test.each([
  ['a zero width space', 'pay\u200bpal', 'pay\\u200bpal'],
  ['a word joiner and a byte order mark', 'a\u2060b\ufeff', 'a\\u2060b\\ufeff'],
  ['a soft hyphen', 'a\u00adb', 'a\\xadb'],
  ['text in tag characters', 'hi\u{e0068}\u{e0069}', 'hi\\u{e0068}\\u{e0069}'],
  ['a joiner between letters that do not join', 'a\u200db', 'a\\u200db'],
  ['a joiner with no emoji on one side', '👩\u200da\u200d👧', '👩\\u200da\\u200d👧'],
  ['variation selectors that vary nothing', 'a\ufe0f葛\ufe0f', 'a\\ufe0f葛\\ufe0f'],
  ['a Hangul filler', '\u3164', '\\u3164'],
  ['the marks behind the eighth', `e${'\u0301'.repeat(10)}`, `e${'\u0301'.repeat(8)}\\u0301\\u0301`],
])('%s becomes visible', (_what, hidden, shown) => {
  expect(escapeForTerminal(hidden)).toBe(shown)
})

test.each([
  ['a family', '👩‍👩‍👧‍👦'],
  ['a person with skin and sex', '🏃🏽‍♂️'],
  ['a heart in flames', '❤️‍🔥'],
  ['a flag of a rainbow', '🏳️‍🌈'],
  ['the flag of Scotland', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['a flag of two letters', '🇩🇪'],
  ['a keycap', '1️⃣ #️⃣'],
  ['a symbol as text', '☎︎ ↔︎'],
  ['a Persian word with a non-joiner', 'می‌خواهم'],
  ['a Hindi word with a joiner', 'क्‍ष'],
  ['a variant of an ideograph', '葛󠄀'],
  ['Vietnamese in parts', 'Việt'.normalize('NFD')],
  ['Hebrew with accents', 'בְּרֵאשִׁ֖ית'],
])('%s stays whole', (_what, words) => {
  expect(escapeForTerminal(words)).toBe(words)
  expect(toJsonLine(words)).toBe(JSON.stringify(words))
})

test('a character without width is shown only where it belongs, and of marks eight in a row', () => {
  fc.assert(
    fc.property(nasty, value => {
      const escaped = escapeForTerminal(value)
      expect(escaped).not.toMatch(/\p{M}{9}|\u200b|\u2060|\ufeff|\u00ad|\u034f|\u180e|\u3164|\u{e0041}/u)
      expect(escaped).not.toMatch(
        /(?<!\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\ufe0e|\ufe0f)?|\p{L}\p{M}*)(?:\u200c|\u200d)/u,
      )
      expect(escaped).not.toMatch(
        /(?<!\p{Extended_Pictographic}|[0-9#*]|\p{Unified_Ideograph})(?:\ufe00|\ufe0e|\ufe0f)/u,
      )
    }),
  )
})

test('removes nothing: escaped text reads back unchanged', () => {
  fc.assert(
    fc.property(nasty, value => {
      const written = value.replaceAll('\\', '')
      expect(unescaped(escapeForTerminal(written))).toBe(written)
    }),
  )
})

test('keeps newline and tab where they are laid out', () => {
  expect(escapeForTerminal('a\n\tb\r', { allowedCharacters: '\n\t' })).toBe('a\n\tb\\r')
})

test('no foreign text inside our own starts a line', () => {
  expect(oneLine('a\n\tb')).toBe('a\\n\\tb')
})

test.each([
  ['C0', 0x00, 0x1f],
  ['DEL and C1', 0x7f, 0x9f],
  ['the mark of Arabic letters', 0x61c, 0x61c],
  ['marks of direction and what has no width', 0x200b, 0x200f],
  ['line separators and embeddings', 0x2028, 0x202e],
  ['isolates', 0x2066, 0x2069],
  ['annotations', 0xfff9, 0xfffb],
])('%s are visible from the first to the last', (_, first, last) => {
  for (let code = first; code <= last; code += 1) {
    expect(escapeForTerminal(String.fromCodePoint(code))).toMatch(/^\\[ntrxu]/)
  }
})

test.each(['\x20', '~', '\xa0', '\xff', '\u200a', '\u2010', '\u2027', '\u202f', '\ufffc', '\uffff'])(
  '%j beside those stays',
  character => {
    expect(escapeForTerminal(`${character}\x1b`)).toBe(`${character}\\x1b`)
  },
)

test('separates a document by lines that its texts cannot contain', () => {
  expect(toJsonDocument({ a: 'x\ny' })).toBe('{\n  "a": "x\\ny"\n}')
})

test('leaves no hostile character, and escaping twice changes nothing', () => {
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

function unescaped(text: string): string {
  return text
    .replaceAll(/\\u\{([0-9a-f]+)\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/g, (_, long, four, two) =>
      String.fromCodePoint(Number.parseInt(long ?? four ?? two, 16)),
    )
    .replaceAll('\\n', '\n')
    .replaceAll('\\r', '\r')
    .replaceAll('\\t', '\t')
}

test.each([
  ['plain', 'plain'],
  ['https://example.com/a,b?', "'https://example.com/a,b?'"],
  ['user@host:/srv/a+b%20,c=d.txt', 'user@host:/srv/a+b%20,c=d.txt'],
  ['', "''"],
  ['two words', "'two words'"],
  [' lead', "' lead'"],
  ['trail ', "'trail '"],
  ["it's", "'it'\\''s'"],
  ['$(id)', "'$(id)'"],
])('%j is %s as one argument of a shell', (argument, quoted) => {
  expect(quoteForShell(argument)).toBe(quoted)
})

test('any text as a pattern matches itself, and nothing else', () => {
  const patterns = fc.string({ unit: fc.constantFrom(...'\\^$.*+?()[]{}|ab1') })
  fc.assert(
    fc.property(patterns, patterns, (one, other) => {
      const pattern = new RegExp(`^${escapeRegExp(one)}$`)
      expect(pattern.test(one)).toBe(true)
      expect(pattern.test(other)).toBe(one === other)
    }),
  )
})
