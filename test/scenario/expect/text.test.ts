import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MatcherError } from '../../../src/scenario/errors.ts'
import {
  countWords,
  foldText,
  isExactly,
  matchesText,
  readTextMatcher,
} from '../../../src/scenario/expect/text.ts'
import { codePoint } from '../../helpers/code-point.ts'

const anyText = fc.string({ unit: codePoint, maxLength: 80 })

/** Or the code of what is wrong with the matcher. */
async function matches(expected: string, text: string): Promise<boolean | string> {
  try {
    return matchesText(await readTextMatcher(expected), text)
  } catch (error) {
    if (error instanceof MatcherError) return String(error.code)
    throw error
  }
}

describe('literal text', () => {
  test.each([
    ['monday', 'We are open on Monday.'],
    ['nine  to\nsix', 'nine to six'],
    ['STRASSE', 'Hauptstraße 4'],
    ['straße', 'HAUPTSTRAẞE 4'],
    ['ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ kommt'],
    ["don't", 'I don’t know'],
    ['e-bike', 'An e‑bike costs'],
    ['ﬁne', 'That is fine'],
    ['cafe\u0301', 'our CAFÉ'],
    ['12', 'at １２ o’clock'],
    ['booking', 'book\u00ading'],
    ['/keys', 'press /keys now'],
    ['/keys/ now', 'press /keys/ now'],
    ['a (b/c/', 'is a (b/c/ d'],
  ])('%j is in %j', async (expected, text) => {
    expect(await matches(expected, text)).toBe(true)
  })

  test('does not find other text', async () => {
    expect(await matches('Tuesday', 'We are open on Monday.')).toBe(false)
  })

  test.each(['', ' \n', '\u200b'])('rejects %j, which matches every text', async expected => {
    expect(await matches(expected, 'x')).toBe('empty-text')
  })

  test('accepts text verbatim, up to 2,000 characters', async () => {
    const longest = 'a'.repeat(2000)
    expect(await readTextMatcher(longest)).toEqual({ kind: 'contains', text: longest })
    await expect(readTextMatcher(`${longest}a`)).rejects.toMatchObject({
      code: 'text-too-long',
      message: 'it is longer than 2000 characters',
    })
  })

  test('folds case, quotation marks and dashes', () => {
    expect(foldText(' “À – ‘B’” ')).toBe('"à - \'b\'"')
  })

  test('folds both forms of sigma', () => {
    expect(foldText('ΣΑΣ')).toBe('σασ')
  })

  test('compares thirty marks per letter', async () => {
    const withMarks = (count: number) => `a${'\u0301'.repeat(count)}`
    expect(await matches(withMarks(30), withMarks(40))).toBe(true)
    expect(await matches('a', withMarks(40))).toBe(false)
  })

  test('folding is idempotent', () => {
    fc.assert(fc.property(anyText, text => foldText(foldText(text)) === foldText(text)))
  })

  test('finds text inside any other text, and not once it is removed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1 }), fc.string(), fc.string(), async (text, before, after) => {
        fc.pre(foldText(text) !== '' && !text.trim().startsWith('/'))
        expect(await matches(text, `${before} ${text} ${after}`)).toBe(true)
        const without = foldText(`${before} ${after}`).replaceAll(foldText(text), '')
        fc.pre(!without.includes(foldText(text)))
        expect(await matches(text, without)).toBe(false)
      }),
    )
  })
})

describe('patterns', () => {
  test.each([
    ['/nine|ten/', 'at nine', true],
    ['/NINE/', 'at nine', false],
    ['/NINE/i', 'at nine', true],
    ['/^we .* six$/i', 'We open at nine\n and close at  six ', true],
    ['/a\\/b/', 'a/b', true],
    ['/\\d{2}:\\d{2}/', 'at 10:40', true],
  ])('%s in %j: %s', async (pattern, text, found) => {
    expect(await matches(pattern, text)).toBe(found)
  })

  test.each([
    ['//', 'empty-text'],
    ['/(a/', 'broken-pattern'],
    ['/(?=a)/', 'broken-pattern'],
    ['/(a)\\1/', 'broken-pattern'],
    ['/((a{100}){100}){100}/', 'broken-pattern'],
    ['/a/g', 'unknown-flag'],
    [`/${'a'.repeat(2001)}/`, 'text-too-long'],
  ])('rejects %j: %s', async (pattern, code) => {
    expect(await matches(pattern, 'a')).toBe(code)
  })

  test('reports the problem of an invalid pattern and what is allowed', async () => {
    await expect(readTextMatcher('/(a/')).rejects.toMatchObject({
      code: 'broken-pattern',
      message: expect.stringContaining('missing closing )'),
      path: [],
    })
    await expect(readTextMatcher('/a/gi')).rejects.toMatchObject({
      message: 'the pattern has the unsupported flag g',
      hint: expect.stringContaining('supported: i, m, s; '),
    })
  })
})

test.each([
  ['See  you\nsoon. ', 'See you soon.', true],
  ['See you soon.', 'see you soon.', false],
  ['See you', 'See you soon.', false],
])('exactly %j, said %j: %s', (expected, text, same) => {
  expect(isExactly(expected, text)).toBe(same)
})

/** Each would take minutes where the time grew with the square of the length. */
describe('a million adversarial characters', () => {
  test.each([
    ['marks of accents out of order', `a${'\u0315\u0300'.repeat(500_000)}`],
    ['marks with invisible characters between', `a${'\u0315\u034f\u200d\u0300'.repeat(250_000)}`],
    ['white space', ' \n'.repeat(500_000)],
    ['halves of characters', '\ud800'.repeat(1_000_000)],
    ['one letter', 'a'.repeat(1_000_000)],
  ])('%s', async (_name, text) => {
    expect(await matches('needle', `${text} Needle`)).toBe(true)
    expect(await matches('/(a+)+$/', `${text} needle`)).toBe(false)
    expect(await matches('/(.*a){9}.{100}needle/s', `${text}!`)).toBe(false)
    expect(isExactly(text, `${text}x`)).toBe(false)
  })
})

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
