import type MiniSearch from 'minisearch'
import type { FaqRecord } from '../records/entries.ts'
import type { Store } from '../records/store.ts'

/** Finds answers in the FAQ of knowledge bases. */
export interface Knowledge {
  /** The entry that answers the question best, or undefined when none is about it. Unknown bases are empty ones. */
  search(knowledgeBaseIds: readonly string[], question: string): Promise<FaqRecord | undefined>
  /** At most so many entries that are about the question, the best first. */
  find(knowledgeBaseIds: readonly string[], question: string, most: number): Promise<readonly KnowledgeHit[]>
}

export interface KnowledgeHit {
  readonly entry: FaqRecord
  /** Comparable within one search; more is better. */
  readonly score: number
}

interface Index {
  readonly revision: number
  readonly search: MiniSearch<FaqRecord>
}

/** Of the words that carry meaning, so many must be shared, seen from the question asked or from the entry's. */
const shareOfWords = 0.5

/** An index per knowledge base, built at its first search and again after it changed. */
export function createKnowledge(store: Pick<Store, 'knowledgeBase'>): Knowledge {
  const indices = new Map<string, Index>()

  const indexOf = async (id: string) => {
    const { default: MiniSearchIndex } = await import('minisearch')
    const base = store.knowledgeBase(id)
    const known = indices.get(id)
    if (base === undefined || known?.revision === base.revision) return known?.search
    const search = new MiniSearchIndex<FaqRecord>({
      fields: ['question', 'answer', 'category'],
      tokenize: toWords,
      processTerm: toTerm,
      searchOptions: {
        boost: { question: 4 },
        fuzzy: term => (term.length > 4 ? 0.2 : false),
        prefix: term => term.length > 3,
      },
    })
    search.addAll([...base.entries.values()])
    indices.set(id, { revision: base.revision, search })
    return search
  }
  const find: Knowledge['find'] = async (knowledgeBaseIds, question, most) => {
    const hits: KnowledgeHit[] = []
    const asked = countTerms(question)
    for (const id of new Set(knowledgeBaseIds)) {
      const index = await indexOf(id)
      for (const { id: entryId, score, queryTerms, match } of index?.search(question) ?? []) {
        const entry = store.knowledgeBase(id)?.entries.get(String(entryId))
        if (entry === undefined) continue
        const inQuestion = Object.values(match).filter(fields => fields.includes('question')).length
        const about =
          new Set(queryTerms).size >= asked * shareOfWords ||
          inQuestion >= countTerms(entry.question) * shareOfWords
        if (about) hits.push({ entry, score })
      }
    }
    // Of equals the first base named and its first entry come first: sorting keeps their order.
    return hits.sort((one, other) => other.score - one.score).slice(0, most)
  }
  return {
    find,
    search: async (knowledgeBaseIds, question) => (await find(knowledgeBaseIds, question, 1))[0]?.entry,
  }
}

/** Languages that are written without spaces need a segmenter; for the others a split is enough, and much faster. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

function toWords(text: string): string[] {
  if (!unspaced.test(text)) return text.split(/[^\p{L}\p{M}\p{N}]+/u).filter(word => word !== '')
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)
  return [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

const commonWords = new Set(
  (
    'a about also an and any are as at be been but can could did do does for from get good had has have hello hey hi how i if ' +
    'in is it its just know like many may me more much my need no not of off ok okay on or our out please really should so some ' +
    'tell than thank thanks that the their them then there these they thing this those to too us very want was we well were ' +
    'what when where which who why will with would yes you your'
  ).split(' '),
)

/** Lower case, no accents, English endings cut: `Opening` and `open` are one term. Common words are none. */
function toTerm(word: string): string | null {
  const plain = word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  if (commonWords.has(plain)) return null
  return plain.replace(/(?<=[a-z]{3})(ings?|ed|es|s)$/, '')
}

function countTerms(text: string): number {
  return new Set(toWords(text).flatMap(word => toTerm(word) ?? [])).size
}
