import { didYouMean } from './did-you-mean.ts'

/** Words that are wanted, and those that come by. With `beginnings` one stands for all that begin so, until exactly it came by. */
export function createWantedWords(wanted: readonly string[] | undefined, { beginnings = false } = {}) {
  const missing = new Set(wanted)
  const asked = new Set(wanted)
  /** Those asked for that may still be a beginning. */
  const open = new Set(beginnings ? wanted : [])
  const words = new Set<string>()
  return {
    /** Whether this word is wanted: every one is, where none was asked for. Remembers it for the hint. */
    take(word: string): boolean {
      missing.delete(word)
      open.delete(word)
      if (words.size < maxRemembered && word.length <= maxTermLength) words.add(word)
      const begins = [...open].filter(beginning => word.startsWith(beginning))
      for (const beginning of begins) missing.delete(beginning)
      return wanted === undefined || asked.has(word) || begins.length > 0
    },
    /** Those asked for that did not come. */
    missing: (): readonly string[] => [...missing],
    /** What came instead of a word that was asked for. */
    clue(word: string): Clue {
      const found = [...words]
      const near = didYouMean(word, found)
      return { near, seen: found.slice(0, maxListed), more: found.length > maxListed }
    },
  }
}

/** There may be any number of words, of any length. */
const maxRemembered = 1000
const maxTermLength = 200
const maxListed = 8

/** What came instead of a word that was asked for: one that is like it, or the first ones that came. */
export interface Clue {
  readonly near?: string | undefined
  readonly seen: readonly string[]
  /** Whether there were more. */
  readonly more: boolean
}
