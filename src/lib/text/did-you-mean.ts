import { closest, distance } from 'fastest-levenshtein'

/** The word that was probably meant: at most a third of its letters differ, or they stand in another order. */
export function didYouMean(word: string, allowed: readonly string[]): string | undefined {
  if (allowed.length === 0) return undefined
  const folded = new Map(allowed.map(candidate => [candidate.toLowerCase(), candidate]))
  const nearest = closest(word.toLowerCase(), [...folded.keys()])
  const far = distance(word.toLowerCase(), nearest)
  const near = far <= Math.max(1, Math.floor(nearest.length / 3)) || (far === 2 && sameLetters(word, nearest))
  return near ? folded.get(nearest) : undefined
}

/**
 * The word that was typed wrongly: one letter is wrong, missing or too many (two in a long word), or two are swapped. For
 * names of commands and flags, where another word is more often meant than mistyped.
 */
export function typingError(word: string, allowed: readonly string[]): string | undefined {
  return allowed.find(candidate => {
    const far = distance(word.toLowerCase(), candidate.toLowerCase())
    return far <= (candidate.length >= 8 ? 2 : 1) || (far === 2 && sameLetters(word, candidate))
  })
}

function sameLetters(word: string, other: string): boolean {
  const sorted = (text: string) => [...text.toLowerCase()].sort().join('')
  return sorted(word) === sorted(other)
}
