import { lazy } from '../../lib/lazy.ts'
import { collapseWhiteSpace } from '../../lib/text/escape.ts'
import { MatcherError } from '../errors.ts'
import type { Pattern, TextMatcher } from '../test-case.ts'

/** Maximum length of a text or pattern, which bounds the cost of matching. */
const maxExpectedLength = 2000

/** Parses the value of `says`, `not` or `heard`: literal text or a pattern as `/…/i`. @throws MatcherError */
export async function readTextMatcher(written: string): Promise<TextMatcher> {
  if (isPattern(written)) return readPattern(written)
  assertLength(written, foldText(written))
  return { kind: 'contains', text: written }
}

/** Tests a text. Patterns see it on one line, as it is spoken. */
export function matchesText(matcher: TextMatcher, text: string): boolean {
  return matcher.kind === 'pattern'
    ? matchesPattern(matcher, collapseWhiteSpace(text))
    : foldText(text).includes(foldText(matcher.text))
}

/** Compares exactly, except for white space. */
export function isExactly(expected: string, text: string): boolean {
  const [one, other] = [expected, text].map(part => collapseWhiteSpace(normalize(part, 'NFC')))
  return one === other
}

/** True for `/…/` with optional flags. */
export function isPattern(written: string): boolean {
  return /^\/.*\/[a-z]*$/is.test(written)
}

const flagNames = { i: 'CASE_INSENSITIVE', m: 'MULTILINE', s: 'DOTALL' } as const

/**
 * Parses `/…/` with the flags i, m and s in RE2 syntax, which has no look-around and no back-references and so matches in linear time.
 * Loads the engine on first use.
 * @throws MatcherError
 */
export async function readPattern(written: string): Promise<Pattern> {
  const end = written.lastIndexOf('/')
  const [pattern, flags] = [written.slice(1, end), written.slice(end + 1)]
  assertLength(pattern, pattern)
  const { RE2JS, RE2JSException } = await import('re2js')
  const bits = [...flags].map(flag => {
    if (flag === 'i' || flag === 'm' || flag === 's') return RE2JS[flagNames[flag]]
    throw new MatcherError(
      'unknown-flag',
      `the pattern has the unsupported flag ${flag}`,
      `supported: ${Object.keys(flagNames).join(', ')}; to match text that starts with /, use a pattern: /\\/path/`,
    )
  })
  try {
    const compiled = RE2JS.compile(
      normalize(pattern, 'NFC'),
      bits.reduce((mask, bit) => mask | bit, 0),
    )
    return { kind: 'pattern', pattern, flags, test: text => compiled.test(text) }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw new MatcherError(
      'broken-pattern',
      `invalid pattern: ${error.message}`,
      'use RE2 syntax, without lookaround and backreferences',
    )
  }
}

/** True if the pattern matches anywhere in the text, after NFC normalization. */
export function matchesPattern({ test }: Pattern, text: string): boolean {
  return test(normalize(text, 'NFC'))
}

function assertLength(written: string, compared: string): void {
  if (compared === '')
    throw new MatcherError('empty-text', 'it matches every text', 'write the text to look for')
  if (written.length > maxExpectedLength)
    throw new MatcherError(
      'text-too-long',
      `it is longer than ${maxExpectedLength} characters`,
      'use a part of it',
    )
}

/** Folds case, white space, Unicode forms (NFKC), typographic quotes and dashes, and invisible characters. Idempotent, linear time. */
export function foldText(text: string): string {
  const plain = normalize(text, 'NFKC').replace(/\p{Default_Ignorable_Code_Point}+/gu, '')
  // Upper-casing makes "ß" equal "ss", and lower-casing first does so for "ẞ". A final sigma has its own form.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return collapseWhiteSpace(
    normalize(folded, 'NFKC')
      .replace(/[‘’‚‛′`´]/g, "'")
      .replace(/[“”„‟″«»]/g, '"')
      .replace(/[‐‑‒–—―−]/g, '-'),
  )
}

const maxMarks = 30
const piledMarks = lazy(() => new RegExp(`(\\p{M}{${maxMarks}})\\p{M}+`, 'gu'))

/** Normalizes in linear time by keeping 30 marks per letter: native normalization is quadratic in them. No language has more. */
export function normalize(text: string, form: 'NFC' | 'NFKC'): string {
  return text.replace(piledMarks(), '$1').normalize(form)
}

/** Scripts without spaces between words. */
const spaceless = lazy(
  () =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u,
)

/** Segmentation takes quadratic time, so texts are split. */
const maxPiece = 500

const segmenter = lazy(() => new Intl.Segmenter('en', { granularity: 'word' }))

/** Counts tokens with a letter or a digit (`e-bikes`, `10:40`); in scripts without spaces, the words of Unicode's dictionary. */
export function countWords(text: string): number {
  let words = 0
  for (const [token] of text.matchAll(/\S+/g)) {
    if (spaceless().test(token)) words += countSegments(token)
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
