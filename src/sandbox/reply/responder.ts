import type { Knowledge } from '../tools/knowledge.ts'

export interface Reply {
  /** Said one after another. */
  readonly texts: readonly string[]
  /** False for a stopgap. */
  readonly answered: boolean
}

export interface ReplyRequest {
  readonly text: string
  readonly knowledgeBaseIds: readonly string[]
}

/** Makes the assistant's replies; a model is another one. */
export type Responder = (request: ReplyRequest) => Promise<Reply>

const withoutKnowledge = 'This is the callwright sandbox: no model is connected, so I can only listen.'
const notFound = 'This is the callwright sandbox: no entry of my knowledge base is about that.'

/** Answers from the FAQ, without any model: the same question gets the same answer. */
export const createOfflineResponder =
  (knowledge: Knowledge): Responder =>
  async ({ text, knowledgeBaseIds }) => {
    if (knowledgeBaseIds.length === 0) return { texts: [withoutKnowledge], answered: false }
    const entry = await knowledge.search(knowledgeBaseIds, text)
    return entry === undefined
      ? { texts: [notFound], answered: false }
      : { texts: [entry.answer], answered: true }
  }
