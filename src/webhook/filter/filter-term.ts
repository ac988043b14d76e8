import { didYouMean } from '../../lib/text/did-you-mean.ts'

/** Words that are wanted, and those that come by. */
export interface WantedWords {
  /** Whether this word is wanted: every one is, where none was asked for. Remembers it for the hint. */
  take(word: string): boolean
  /** Those asked for that did not come. */
  missing(): readonly string[]
  /** What was probably meant, or what there is: `did you mean CC-1?`, `calls seen: CC-1, CC-2`. */
  hint(word: string, what: string): string | undefined
}

/** With `beginnings` a wanted word stands for all that begin so, until exactly this word came by. */
export function createWantedWords(
  wanted: readonly string[] | undefined,
  { beginnings = false }: { readonly beginnings?: boolean } = {},
): WantedWords {
  const missing = new Set(wanted)
  const asked = new Set(wanted)
  /** Those asked for that may still be a beginning. */
  const open = new Set(beginnings ? wanted : [])
  const words = new Set<string>()
  return {
    take(word) {
      missing.delete(word)
      open.delete(word)
      if (words.size < maxRemembered && word.length <= maxTermLength) words.add(word)
      const begins = [...open].filter(beginning => word.startsWith(beginning))
      for (const beginning of begins) missing.delete(beginning)
      return wanted === undefined || asked.has(word) || begins.length > 0
    },
    missing: () => [...missing],
    hint(word, what) {
      const found = [...words]
      const meant = didYouMean(word, found)
      if (meant !== undefined) return `did you mean ${meant}?`
      if (found.length === 0) return undefined
      const more = found.length > maxListed ? ', …' : ''
      return `${what}: ${found.slice(0, maxListed).join(', ')}${more}`
    },
  }
}

/** There may be any number of words, of any length. */
const maxRemembered = 1000
const maxTermLength = 200
const maxListed = 8
