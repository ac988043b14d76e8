import type { TextMatcher } from '../test-case.ts'
import { normalized } from './normalized.ts'
import { matchesPattern, readPattern } from './pattern.ts'
import { maxExpectedLength, problemOf, type ReadMatcher } from './problem.ts'

/** What `says`, `not` and `heard` look for: text that is contained, or a pattern as `/…/i`. */
export function readTextMatcher(value: string): ReadMatcher<TextMatcher> {
  const pattern = readPattern(value)
  if (pattern !== undefined) return pattern
  if (foldText(value) === '') return problemOf({ code: 'empty-text', details: {} })
  if (value.length > maxExpectedLength)
    return problemOf({ code: 'text-too-long', details: { max: maxExpectedLength } })
  return { matcher: { kind: 'contains', text: value } }
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

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
