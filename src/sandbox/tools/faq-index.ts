import MiniSearch from 'minisearch'
import type { FaqRecord } from '../../files/formats/control-api.ts'
import { lazy, memoize } from '../../lib/lazy.ts'
import { extractTerms, foldWord, hasWords, toTerm, toWords } from '../../lib/text/words.ts'
import { compareHits, type KnowledgeHit } from './knowledge-hit.ts'

export type FaqIndex = ReturnType<typeof createFaqIndex>

/** The share of words with meaning that must be common, of the question asked or of the entry's. */
const shareOfWords = 0.5
/** The share of all words that must be common to two questions without words with meaning, such as “Who are you?”. */
const shareOfCommonWords = 0.75

/**
 * Finds the entries of one knowledge base that are about a question: the one with the same words first, then as MiniSearch ranks them. It
 * makes an object for each entry that has one word of the question, which takes half a second with 100,000 entries.
 */
export function createFaqIndex(entries: readonly FaqRecord[]) {
  const index = new MiniSearch<FaqRecord>({
    fields: ['question', 'answer', 'category'],
    tokenize: toWords,
    // Entries repeat their words.
    processTerm: memoize(toTerm),
    searchOptions: {
      boost: { question: 4 },
      fuzzy: term => (term.length > 4 ? 0.2 : false),
      prefix: term => term.length > 3,
    },
  })
  index.addAll(entries)
  const entryOf = new Map(entries.map(entry => [entry.id, entry]))
  const termCountOf = memoize(({ question }: FaqRecord) => extractTerms(question).size)
  /** Entries whose questions have only common words. */
  const commonQuestions = lazy(() =>
    entries
      .filter(entry => hasWords(entry.question) && termCountOf(entry) === 0)
      .map(entry => ({ entry, words: foldWords(entry.question) })),
  )

  const findByTerms = (question: string, termCount: number, most: number): KnowledgeHit[] => {
    const words = foldWords(question)
    const hits: KnowledgeHit[] = []
    for (const { id, score, queryTerms, match } of index.search(question)) {
      const entry = entryOf.get(id)
      // Among the worse ones only an exact hit counts.
      if (entry === undefined || (hits.length >= most && queryTerms.length < termCount)) continue
      const shared = new Set(queryTerms).size
      const inQuestion = () => Object.values(match).filter(fields => fields.includes('question')).length
      const isAbout = shared >= termCount * shareOfWords || inQuestion() >= termCountOf(entry) * shareOfWords
      const isExact = shared === termCount && isSame(foldWords(entry.question), words)
      if (isAbout && (isExact || hits.length < most))
        hits.push({ entry, isExact, score, share: shared / termCount })
    }
    return hits
  }
  /** Compares all words with those of questions that also have none with meaning. */
  const findByCommonWords = (question: string): KnowledgeHit[] => {
    const words = foldWords(question)
    const questionWords = new Set(words)
    return commonQuestions().flatMap(({ entry, words: others }) => {
      const own = new Set(others)
      const count = [...own].filter(word => questionWords.has(word)).length
      const score = count / (questionWords.size + own.size - count)
      return score < shareOfCommonWords
        ? []
        : [{ entry, isExact: isSame(others, words), score, share: count / questionWords.size }]
    })
  }
  return {
    /** At most this many entries, the best first; of equals the first. */
    find(question: string, most: number): KnowledgeHit[] {
      const termCount = extractTerms(question).size
      const hits = termCount === 0 ? findByCommonWords(question) : findByTerms(question, termCount, most)
      return hits.sort(compareHits).slice(0, most)
    },
  }
}

function foldWords(text: string): string[] {
  return toWords(text).map(foldWord)
}

function isSame(words: readonly string[], others: readonly string[]): boolean {
  return words.length === others.length && words.every((word, index) => word === others[index])
}
