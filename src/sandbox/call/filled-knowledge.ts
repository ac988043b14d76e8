import type { Knowledge } from '../tools/knowledge.ts'

/** The knowledge of one call: in each answer the variables of that call are filled in (interface.md 2.6). */
export function filledKnowledge(knowledge: Knowledge, fill: (text: string) => string): Knowledge {
  return {
    async search(knowledgeBaseIds, question) {
      const entry = await knowledge.search(knowledgeBaseIds, question)
      return entry === undefined ? undefined : { ...entry, answer: fill(entry.answer) }
    },
    async find(knowledgeBaseIds, question, most) {
      const hits = await knowledge.find(knowledgeBaseIds, question, most)
      return hits.map(hit => ({ ...hit, entry: { ...hit.entry, answer: fill(hit.entry.answer) } }))
    },
  }
}
