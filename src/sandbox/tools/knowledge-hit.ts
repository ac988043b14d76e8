import type { FaqRecord } from '../../files/formats/control-api.ts'

export interface KnowledgeHit {
  readonly entry: FaqRecord
  /** True if the words of the entry's question are the ones that were asked, in the same order. */
  readonly isExact: boolean
  /** Comparable with those of other indices; more is better. */
  readonly score: number
  /** Fraction, 0 to 1, of the question's terms that the entry has too. */
  readonly share: number
}

/** Exact hits first, then the best scores. Sorting keeps the order of equals. */
export function compareHits(one: KnowledgeHit, other: KnowledgeHit): number {
  return Number(other.isExact) - Number(one.isExact) || other.score - one.score
}
