/** Scripts whose words stand without spaces between them. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Characters that are taken apart at once: the time for one text grows with the square of its length. */
const maxPiece = 500

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

let made: Intl.Segmenter | undefined

function segmenter(): Intl.Segmenter {
  made ??= new Intl.Segmenter('en', { granularity: 'word' })
  return made
}
