import { lazy } from '../../lib/lazy.ts'
import { MatcherError } from '../errors.ts'
import type { Pattern, TextMatcher } from '../test-case.ts'

/** Characters of a text that is looked for, and of a pattern: what is done with each is bounded by it. */
const maxExpectedLength = 2000

/** What `says`, `not` and `heard` look for: text that is contained, or a pattern as `/…/i`. @throws MatcherError */
export async function readTextMatcher(written: string): Promise<TextMatcher> {
  if (isPattern(written)) return readPattern(written)
  assertLength(written, foldText(written))
  return { kind: 'contains', text: written }
}

/** A pattern sees the text on one line, as it is spoken. */
export function matchesText(matcher: TextMatcher, text: string): boolean {
  return matcher.kind === 'pattern'
    ? matchesPattern(matcher, onOneLine(text))
    : foldText(text).includes(foldText(matcher.text))
}

/** `exactly` counts each character, and no white space around or between words. */
export function isExactly(expected: string, text: string): boolean {
  const [one, other] = [expected, text].map(each => onOneLine(normalized(each, 'NFC')))
  return one === other
}

/** Whether a text is read as a pattern: `/…/`, with letters behind it. */
export function isPattern(written: string): boolean {
  return /^\/.*\/[a-z]*$/is.test(written)
}

const flagNames = { i: 'CASE_INSENSITIVE', m: 'MULTILINE', s: 'DOTALL' } as const

/**
 * `/…/` with the flags i, m and s, in the syntax of RE2: no look-around and no back-references, so that it takes linear time on any text.
 * Its engine is loaded for the first one.
 * @throws MatcherError
 */
export async function readPattern(written: string): Promise<Pattern> {
  const end = written.lastIndexOf('/')
  const [pattern, flags] = [written.slice(1, end), written.slice(end + 1)]
  assertLength(pattern, pattern)
  const { RE2JS, RE2JSException } = await import('re2js')
  const bits = [...flags].map(flag => {
    if (flag === 'i' || flag === 'm' || flag === 's') return RE2JS[flagNames[flag]]
    throw new MatcherError({ code: 'unknown-flag', details: { flag, allowed: Object.keys(flagNames) } })
  })
  try {
    const compiled = RE2JS.compile(
      normalized(pattern, 'NFC'),
      bits.reduce((all, bit) => all | bit, 0),
    )
    return { kind: 'pattern', pattern, flags, test: text => compiled.test(text) }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new MatcherError({ code: 'broken-pattern', details: { pattern, reason: error.message } })
  }
}

/** Whether the pattern is found in the text. Letters that Unicode writes in two ways are the same. */
export function matchesPattern({ test }: Pattern, text: string): boolean {
  return test(normalized(text, 'NFC'))
}

function assertLength(written: string, compared: string): void {
  if (compared === '') throw new MatcherError({ code: 'empty-text', details: {} })
  if (written.length > maxExpectedLength)
    throw new MatcherError({ code: 'text-too-long', details: { max: maxExpectedLength } })
}

/**
 * What two texts have in common that a person hears as the same: case, white space, the forms of Unicode (NFKC), quotation marks and
 * dashes of typography, and what has no width do not count. Folding twice changes nothing more. Linear time.
 */
export function foldText(text: string): string {
  const plain = normalized(text, 'NFKC').replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
  // Upper case makes “ß” and “ss” the same, of a lower “ẞ”. A sigma has another form at the end of a word.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return onOneLine(
    normalized(folded, 'NFKC')
      .replace(/[‘’‚‛′`´]/g, "'")
      .replace(/[“”„‟″«»]/g, '"')
      .replace(/[‐‑‒–—―−]/g, '-'),
  )
}

const maxMarks = 30
const piledMarks = new RegExp(`(\\p{M}{${maxMarks}})\\p{M}+`, 'gu')

/**
 * One of the forms of Unicode, in linear time: normalising takes the square of the marks that one letter carries, four minutes for a
 * million. A letter keeps 30 of them, more than one of any language has.
 */
export function normalized(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replace(piledMarks, '$1').normalize(form)
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Scripts whose words stand without spaces between them. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Characters that are taken apart at once: the time for one text grows with the square of its length. */
const maxPiece = 500

const segmenter = lazy(() => new Intl.Segmenter('en', { granularity: 'word' }))

/**
 * Words as a person counts them: what stands between spaces and has a letter or a digit (`e-bikes`, `10:40`, `don’t`); in scripts without
 * spaces by the dictionary of Unicode.
 */
export function countWords(text: string): number {
  let words = 0
  for (const [token] of text.matchAll(/\S+/g)) {
    if (spaceless.test(token)) words += countSegments(token)
    else if (/[\p{L}\p{N}]/u.test(token)) words += 1
  }
  return words
}

function countSegments(text: string): number {
  let words = 0
  for (let start = 0; start < text.length; start += maxPiece) {
    for (const { isWordLike } of segmenter().segment(text.slice(start, start + maxPiece)))
      if (isWordLike === true) words += 1
  }
  return words
}
