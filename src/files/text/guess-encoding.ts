import { isAscii } from 'node:buffer'
import { analyse } from 'chardet'
import { isEncoding } from '../../lib/text/encoding.ts'
import { createTextDecoder } from './text-decoder.ts'

/** Encoding of exports from spreadsheet programs in Western countries. */
const usual = 'windows-1252'

export interface EncodingGuess {
  /** Name in the WHATWG Encoding Standard. */
  readonly encoding: string
  /** Another encoding that may be meant. */
  readonly other: string
}

/**
 * Returns the encoding that the words of a text suggest. Names of people are short, and most bytes are letters in several encodings:
 * another encoding than Windows-1252 is returned only if it is much more likely, or if words would not be words in Windows-1252.
 */
export function guessEncoding(bytes: Buffer): EncodingGuess {
  const eastAsian = guessEastAsian(bytes)
  if (eastAsian !== undefined) return eastAsian
  const words = wordsIn(bytes)
  const sample = Buffer.from(words.join(' '), 'latin1')
  const likely = new Map<string, number>()
  // Confidence is 10 where nothing speaks for or against an encoding, and at most 100.
  for (const { name, confidence } of analyse(sample)) {
    const encoding = windowsNames[name] ?? name.toLowerCase()
    if (isEncoding(encoding) && !encoding.startsWith('utf-') && !likely.has(encoding))
      likely.set(encoding, confidence)
  }
  const usualConfidence = likely.get(usual) ?? 0
  likely.delete(usual)
  const isOdd = !isWords(sample, usual)
  const others = [...likely].filter(([encoding]) => isWords(sample, encoding))
  const [best, second] = others.filter(([, confidence]) => confidence >= (isOdd ? 11 : 25))
  const isClear =
    best !== undefined &&
    best[1] !== second?.[1] &&
    (isOdd || (words.length >= minWords && best[1] > 1.5 * usualConfidence))
  return toEncoding(isClear ? best[0] : usual, [
    ...(isOdd ? [] : [usual]),
    ...others.map(([name]) => name).filter(name => name !== 'ascii'),
    'windows-1250',
  ])
}

/** Returns an encoding with several bytes for a character. Its words cannot be told by letters, but its bytes are hardly ever others. */
function guessEastAsian(bytes: Buffer): EncodingGuess | undefined {
  const first = bytes.findIndex(byte => byte > 0x7f)
  const start = Math.max(bytes.lastIndexOf(0x0a, first), bytes.lastIndexOf(0x0d, first)) + 1
  const [best, ...others] = analyse(bytes.subarray(start, start + sliceBytes))
  if (best === undefined || best.confidence < minConfidence || !isEastAsian(best)) return undefined
  return toEncoding(best.name.toLowerCase(), [
    ...others.filter(isEastAsian).map(({ name }) => name.toLowerCase()),
    ...['gb18030', 'big5'],
  ])
}

const isEastAsian = ({ name }: { readonly name: string }) =>
  /^(?:Shift_JIS|Big5|EUC-KR|EUC-JP|GB18030)$/.test(name)

function toEncoding(encoding: string, candidates: readonly string[]): EncodingGuess {
  return { encoding, other: candidates.find(name => name !== encoding) ?? usual }
}

const minConfidence = 90
const minWords = 5
const maxWords = 5000

/** Spreadsheet programs write the encoding of Windows rather than the standard one of the same script. */
const windowsNames: Readonly<Record<string, string>> = {
  'ISO-8859-1': usual,
  'ISO-8859-2': 'windows-1250',
  'ISO-8859-7': 'windows-1253',
  'ISO-8859-8': 'windows-1255',
  'ISO-8859-9': 'windows-1254',
}

/** Returns words with a byte above 0x7f. */
function wordsIn(bytes: Buffer): string[] {
  const words: string[] = []
  for (let start = 0; start < bytes.length && words.length < maxWords; start += sliceBytes) {
    const slice = bytes.subarray(start, start + sliceBytes)
    if (!isAscii(slice))
      words.push(...(slice.toString('latin1').match(/[A-Za-z]*[\x80-\xff][A-Za-z'\x80-\xff-]*/g) ?? []))
  }
  return words.slice(0, maxWords)
}

const sliceBytes = 1 << 16

/** True if nearly all words consist of letters. In Windows-1252 a longer word also has an ASCII letter. */
function isWords(sample: Buffer, encoding: string): boolean {
  const words = createTextDecoder(encoding).decode(sample).split(' ')
  const isWord = (word: string) =>
    /^[\p{L}\p{M}'’-]+$/u.test(word) && (encoding !== usual || word.length < 3 || /[a-z]/i.test(word))
  return words.filter(isWord).length > 0.9 * words.length
}
