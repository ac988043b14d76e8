import type { Knowledge, KnowledgeHit } from '../tools/knowledge.ts'

/** The knowledge of one call: in each answer the variables of that call are filled in (interface.md 2.6). */
export function filledKnowledge(knowledge: Knowledge, fill: (text: string) => string): Knowledge {
  const filled = (hit: KnowledgeHit): KnowledgeHit => ({
    ...hit,
    entry: { ...hit.entry, answer: fill(hit.entry.answer) },
  })
  return {
    async search(knowledgeBaseIds, question) {
      const hit = await knowledge.search(knowledgeBaseIds, question)
      return hit && filled(hit)
    },
    async find(knowledgeBaseIds, question, most) {
      const hits = await knowledge.find(knowledgeBaseIds, question, most)
      return hits.map(filled)
    },
  }
}
