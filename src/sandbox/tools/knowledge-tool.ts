import type { CallTool } from './call-tool.ts'
import type { Knowledge } from './knowledge.ts'
import { refused, told } from './tool-outcomes.ts'

const maxEntries = 3

/** interface.md 2.3, knowledgeBase: the model looks into the FAQ of the assistant's knowledge bases. */
export function knowledgeTool(knowledgeBaseIds: readonly string[], knowledge: Knowledge): CallTool {
  return {
    predefined: 'knowledgeBase',
    name: 'search_knowledge_base',
    description:
      'Searches the questions and answers of the knowledge base. Use it before you answer what the caller wants to know.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What the caller wants to know, in a few words' } },
      required: ['query'],
    },
    async run({ arguments: { query } }) {
      if (typeof query !== 'string' || query.trim() === '') return refused('query is missing: a text')
      const hits = await knowledge.find(knowledgeBaseIds, query, maxEntries)
      const results = hits.map(({ entry: { question, answer, category } }) => ({
        question,
        answer,
        ...(typeof category === 'string' ? { category } : {}),
      }))
      return told({ results })
    },
  }
}
