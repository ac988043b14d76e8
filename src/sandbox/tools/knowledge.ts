import type { RecordStore, StoredKnowledgeBase } from '../records/store.ts'
import type { FaqIndex } from './faq-index.ts'
import { compareHits, type KnowledgeHit } from './knowledge-hit.ts'

export interface KnowledgeSearch {
  readonly question: string
  /** The best first. */
  readonly hits: readonly KnowledgeHit[]
  /** True if the entry was said, or passed to the model. */
  readonly used: boolean
}

/** Index of each searched version of a knowledge base. */
export type FaqIndices = WeakMap<StoredKnowledgeBase, FaqIndex>

export type Knowledge = ReturnType<typeof createKnowledge>

/**
 * Creates the search over knowledge bases. An index per knowledge base, built at its first search and again after it changed.
 * With the indices of another store, what the two share is indexed once.
 */
export function createKnowledge(store: RecordStore, indices: FaqIndices = new WeakMap()) {
  const indexOf = async (id: string) => {
    const base = store.knowledgeBase(id)
    if (base === undefined) return undefined
    const { createFaqIndex } = await import('./faq-index.ts')
    // Calls that run at the same time share it.
    const index = indices.get(base) ?? createFaqIndex([...base.entries.values()])
    indices.set(base, index)
    return index
  }
  return {
    /** At most this many entries that are about the question, the best first. Unknown bases are empty ones. */
    async find(knowledgeBaseIds: readonly string[], question: string, most: number) {
      const hits: KnowledgeHit[] = []
      for (const id of new Set(knowledgeBaseIds)) {
        const index = await indexOf(id)
        hits.push(...(index?.find(question, most) ?? []))
      }
      // Of equals the first base named and its first entry come first: sorting keeps their order.
      return hits.sort(compareHits).slice(0, most)
    },
  }
}
