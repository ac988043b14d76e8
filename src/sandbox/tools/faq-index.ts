import SearchableMap from 'minisearch/SearchableMap'
import type { FaqRecord } from '../../files/formats/control-api.ts'
import { foldWord, toTerm, toWords } from '../../lib/text/words.ts'
import { compareHits, type KnowledgeHit } from './knowledge-hit.ts'

export type FaqIndex = ReturnType<typeof createFaqIndex>

const fields = ['question', 'answer', 'category'] as const
const fieldBoosts = [4, 1, 1] as const
/** The share of words with meaning that must be common, of the question asked or of the entry's. */
const shareOfWords = 0.5
/** The share of all words that must be common to two questions without words with meaning, such as “Who are you?”. */
const shareOfCommonWords = 0.75

/** BM25+ parameters and weights of similar terms, as in MiniSearch. */
const [k, b, d] = [1.2, 0.7, 0.5]
const [prefixWeight, fuzzyWeight, maxFuzzyDistance] = [0.375, 0.45, 6]

/**
 * Finds the entries of one knowledge base that are about a question: the one with the same words first. Ranks the others as MiniSearch does with the same terms, and finds the
 * same entries (a test compares them). MiniSearch makes an object for each entry that has one word of the question; with 100,000
 * entries that takes half a second and 50 MB for each question. Here the scores are in arrays that all questions share.
 */
export function createFaqIndex(entries: readonly FaqRecord[]) {
  const { terms, postings, lengths, averageLengths, questionTerms, commonQuestions } = readEntries(entries)
  const { starts, positions, frequencies } = postings
  const size = entries.length
  const total = new Float64Array(size)
  const inQuestion = new Uint32Array(size)
  const shared = new Uint32Array(size)
  /** Score of each entry for the current word. */
  const partial = new Float64Array(size)
  const withWord = new Uint32Array(size)
  /** The number of the look-up that each entry was found by last: scores of an older one are stale. */
  const foundBy = new Uint32Array(size)
  /** In the order in which they were found. */
  const hits = new Uint32Array(size)
  let [lookUps, firstLookUp, foundCount, withWordCount] = [0, 0, 0, 0]

  /** A question waits for this loop: it calls nothing, so that it is compiled soon. */
  const addTerm = (term: number, field: number, weight: number, isFirst: boolean) => {
    const slot = term * fields.length + field
    const [start, end] = [starts[slot] ?? 0, starts[slot + 1] ?? 0]
    const matching = end - start
    const rarity = Math.log(1 + (size - matching + 0.5) / (matching + 0.5))
    const average = averageLengths[field] ?? 0
    const counted = field === 0 && isFirst ? 1 : 0
    const [lookUp, oldest] = [lookUps, firstLookUp]
    for (let index = start; index < end; index++) {
      const position = positions[index] ?? 0
      const frequency = frequencies[index] ?? 0
      const length = lengths[position * fields.length + field] ?? 0
      const score =
        weight * (rarity * (d + (frequency * (k + 1)) / (frequency + k * (1 - b + (b * length) / average))))
      const last = foundBy[position] ?? 0
      if (last === lookUp) partial[position] = (partial[position] ?? 0) + score
      else {
        foundBy[position] = lookUp
        partial[position] = score
        withWord[withWordCount++] = position
        if (last < oldest) {
          total[position] = 0
          inQuestion[position] = 0
          shared[position] = 0
          hits[foundCount++] = position
        }
      }
      inQuestion[position] = (inQuestion[position] ?? 0) + counted
    }
  }
  /** Adds the score of the current word to the entries that have it. */
  const addWord = (isFirst: boolean) => {
    const counted = isFirst ? 1 : 0
    for (let index = 0; index < withWordCount; index++) {
      const position = withWord[index] ?? 0
      total[position] = (total[position] ?? 0) + (partial[position] ?? 0)
      shared[position] = (shared[position] ?? 0) + counted
    }
  }
  const bestOf = (words: readonly string[], termCount: number, most: number) => {
    const best: KnowledgeHit[] = []
    const enough = termCount * shareOfWords
    for (let index = 0; index < foundCount; index++) {
      const position = hits[index] ?? 0
      const count = shared[position] ?? 0
      const score = (total[position] ?? 0) * count
      const entry = entries[position]
      const last = best[most - 1]
      const isAsked = count === termCount && (inQuestion[position] ?? 0) >= termCount
      if (entry === undefined || (last !== undefined && score <= last.score && !isAsked)) continue
      const isAbout =
        count >= enough || (inQuestion[position] ?? 0) >= (questionTerms[position] ?? 0) * shareOfWords
      if (!isAbout) continue
      const isExact = isAsked && isSame(foldWords(entry.question), words)
      insertHit(best, { entry, isExact, score, share: count / termCount }, most)
    }
    return best
  }
  /** Compares all words with those of questions that also have none with meaning. */
  const findCommon = (words: readonly string[], most: number) => {
    const best: KnowledgeHit[] = []
    const queryTerms = new Set(words)
    for (const { entry, words: others } of commonQuestions) {
      const own = new Set(others)
      const count = [...own].filter(word => queryTerms.has(word)).length
      const score = count / (queryTerms.size + own.size - count)
      if (score < shareOfCommonWords) continue
      insertHit(best, { entry, isExact: isSame(others, words), score, share: count / queryTerms.size }, most)
    }
    return best
  }
  return {
    /** At most this many entries, the best first; of equals the first. */
    find(question: string, most: number): KnowledgeHit[] {
      const allWords = foldWords(question)
      const words = toWords(question).flatMap(word => toTerm(word) ?? [])
      if (words.length === 0) return findCommon(allWords, most)
      const [askedBefore, matchedBefore] = [new Set<string>(), new Set<number>()]
      firstLookUp = lookUps + 1
      foundCount = 0
      for (const word of words) {
        lookUps += 1
        withWordCount = 0
        for (const [term, weight] of word === '' ? [] : termsLike(word, terms)) {
          const isFirst = !matchedBefore.has(term)
          matchedBefore.add(term)
          for (const [field, boost] of fieldBoosts.entries()) addTerm(term, field, weight * boost, isFirst)
        }
        addWord(!askedBefore.has(word))
        askedBefore.add(word)
      }
      return bestOf(allWords, askedBefore.size, most)
    },
  }
}

/** Inserts a hit after those that are as good, and drops the worst of more than `most`. */
function insertHit(best: KnowledgeHit[], hit: KnowledgeHit, most: number): void {
  const index = best.findIndex(other => compareHits(hit, other) < 0)
  best.splice(index === -1 ? best.length : index, 0, hit)
  best.length = Math.min(best.length, most)
}

function foldWords(text: string): string[] {
  return toWords(text).map(foldWord)
}

function isSame(words: readonly string[], others: readonly string[]): boolean {
  return words.length === others.length && words.every((word, index) => word === others[index])
}

/** The terms that a word asks for, each once, with their weight: itself, those that begin with it, those that are spelt alike. */
function* termsLike(word: string, terms: SearchableMap<number>): Generator<readonly [number, number]> {
  const own = terms.get(word)
  if (own !== undefined) yield [own, 1]
  const alike =
    word.length > 4
      ? terms.fuzzyGet(word, Math.min(maxFuzzyDistance, Math.round(word.length * 0.2)))
      : new Map<string, [number, number]>()
  alike.delete(word)
  if (word.length > 3) {
    for (const [term, id] of terms.atPrefix(word)) {
      alike.delete(term)
      const distance = term.length - word.length
      if (distance > 0) yield [id, (prefixWeight * term.length) / (term.length + 0.3 * distance)]
    }
  }
  for (const [term, [id, distance]] of alike)
    yield [id, (fuzzyWeight * term.length) / (term.length + distance)]
}

/** Words that carry no meaning, and such as are nothing but accents, which count in a question but are not looked up. */
const [commonWord, blankWord] = [-1, -2]

function readEntries(entries: readonly FaqRecord[]) {
  const terms = new SearchableMap<number>()
  const termOfWord = new Map<string, number>()
  let termCount = 0
  const termOf = (word: string): number => {
    const term = toTerm(word)
    if (term === null) return commonWord
    return term === '' ? blankWord : terms.fetch(term, () => termCount++)
  }
  /** Distinct words of each field of each entry, and on average. */
  const lengths = new Uint32Array(entries.length * fields.length)
  const averageLengths = fields.map(() => 0)
  /** Distinct terms of each question. */
  const questionTerms = new Uint32Array(entries.length)
  /** Entries whose questions have only common words. */
  const commonQuestions: { readonly entry: FaqRecord; readonly words: readonly string[] }[] = []
  /** In threes: a slot (a term in a field), an entry that has it, and how often. An array of numbers would take twice the memory. */
  let triples = new Uint32Array(1024 * 3)
  let foundSize = 0
  for (const [position, entry] of entries.entries()) {
    for (const [field, name] of fields.entries()) {
      const text: unknown = entry[name]
      if (text === undefined || text === null) continue
      const words = toWords(String(text))
      const length = new Set(words).size
      lengths[position * fields.length + field] = length
      averageLengths[field] = ((averageLengths[field] ?? 0) * position + length) / (position + 1)
      const frequencies = new Map<number, number>()
      for (const word of words) {
        const term = termOfWord.get(word) ?? termOf(word)
        termOfWord.set(word, term)
        if (term !== commonWord) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
      }
      if (field === 0) {
        questionTerms[position] = frequencies.size
        if (frequencies.size === 0 && words.length > 0)
          commonQuestions.push({ entry, words: words.map(foldWord) })
      }
      for (const [term, frequency] of frequencies) {
        if (term === blankWord) continue
        if (foundSize === triples.length) triples = doubleCapacity(triples)
        triples[foundSize++] = term * fields.length + field
        triples[foundSize++] = position
        triples[foundSize++] = frequency
      }
    }
  }
  const postings = sortBySlot(triples.subarray(0, foundSize), termCount * fields.length)
  return { terms, postings, lengths, averageLengths, questionTerms, commonQuestions }
}

function doubleCapacity(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}

/** Entries of a slot are in order, from its start to that of the next. */
function sortBySlot(triples: Uint32Array, slots: number) {
  const starts = new Uint32Array(slots + 1)
  for (let index = 0; index < triples.length; index += 3) {
    const after = (triples[index] ?? 0) + 1
    starts[after] = (starts[after] ?? 0) + 1
  }
  for (let slot = 0; slot < slots; slot++) starts[slot + 1] = (starts[slot + 1] ?? 0) + (starts[slot] ?? 0)
  const next = starts.slice()
  const positions = new Uint32Array(triples.length / 3)
  const frequencies = new Uint32Array(triples.length / 3)
  for (let index = 0; index < triples.length; index += 3) {
    const slot = triples[index] ?? 0
    const position = next[slot] ?? 0
    positions[position] = triples[index + 1] ?? 0
    frequencies[position] = triples[index + 2] ?? 0
    next[slot] = position + 1
  }
  return { starts, positions, frequencies }
}
