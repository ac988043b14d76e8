import { didYouMean, meantHint } from './did-you-mean.ts'

export type WordFilter = ReturnType<typeof createWordFilter>

/** Matches wanted words against those that occur. With `beginnings`, a wanted word matches every word with that prefix, until it occurs exactly. */
export function createWordFilter(selection: readonly string[] | undefined, { beginnings = false } = {}) {
  const missing = new Set(selection)
  const wantedWords = new Set(selection)
  /** Wanted words that may still be prefixes. */
  const open = new Set(beginnings ? selection : [])
  const words = new Set<string>()
  return {
    /** True if the word is wanted, or if none is specified. Remembers it for the hint. */
    admit(word: string): boolean {
      missing.delete(word)
      open.delete(word)
      if (words.size < maxRemembered && word.length <= maxTermLength) words.add(word)
      const begins = [...open].filter(beginning => word.startsWith(beginning))
      for (const beginning of begins) missing.delete(beginning)
      return selection === undefined || wantedWords.has(word) || begins.length > 0
    },
    missing: (): readonly string[] => [...missing],
    /** Returns the words that occurred instead of a wanted word. */
    clue(word: string): Clue {
      const seenWords = [...words]
      const near = didYouMean(word, seenWords)
      return { near, seen: seenWords.slice(0, maxListed), more: seenWords.length > maxListed }
    },
  }
}

/** There may be any number of words, of any length. */
const maxRemembered = 1000
const maxTermLength = 200
const maxListed = 8

/** Words that occurred instead of a wanted one: a similar one, or the first ones. */
export interface Clue {
  readonly near?: string | undefined
  readonly seen: readonly string[]
  readonly more: boolean
}

/** Returns the suggestion or the words that occurred: `did you mean CC-1?`, `calls seen: CC-1, CC-2`. */
export function clueHint({ near, seen, more }: Clue, label: string): string | undefined {
  const available = seen.length === 0 ? undefined : `${label}: ${seen.join(', ')}${more ? ', …' : ''}`
  return meantHint(near) ?? available
}
