import { lazy } from '../../lib/lazy.ts'

/** Returns words in lower case without accents and punctuation, with a space between them. */
export function foldWords(text: string): string {
  return plainLettersOf(text)
    .replace(/\p{M}+/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Replaces letters that look like Latin ones in words that also have Latin letters: `Consent` with a Cyrillic `o`. */
export function oneScript(text: string): string {
  if (!/[\u0370-\u052f]/.test(text) || !/[a-z]/i.test(text)) return text
  return text.replaceAll(/\p{L}+/gu, word =>
    /[a-z]/i.test(word)
      ? word.replaceAll(/[\u0370-\u052f]/g, letter => latinLetters()[letter] ?? letter)
      : word,
  )
}

const latinLetters = lazy((): Readonly<Record<string, string>> => {
  const cyrillic =
    'АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS аa вb еe кk мm нh оo пn рp сc тt уy хx іi јj ѕs һh ԁd ԛq ԝw'
  const greek = 'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX αa εe ιi κk νv οo ρp τt υu χx'
  return Object.fromEntries(
    `${cyrillic} ${greek}`.split(' ').map(([letter = '', latin]) => [letter, latin ?? '']),
  )
})

/** Returns a text in lower case, with the plain form of its letters and digits; accents follow as characters of their own. */
export function plainLettersOf(text: string): string {
  return oneScript(text)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u00df-\u0153\u03c2\u0621-\u06cc]/g, letter => plainLetters[letter] ?? letter)
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, digit => String(digit.charCodeAt(0) % 16))
}

/**
 * Letters that Unicode does not compose of a letter and an accent, the final form of sigma, and Arabic letters that are often written as
 * another one or left out.
 */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ı: 'i', ς: 'σ' },
  ...{ '\u0621': '', '\u0629': '\u0647', '\u0640': '', '\u0649': '\u064a' },
  ...{ '\u0671': '\u0627', '\u06a9': '\u0643', '\u06cc': '\u064a' },
}
