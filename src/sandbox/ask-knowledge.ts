import { createStore, type RecordEntry } from './records/store.ts'
import { createOfflineResponder } from './reply/offline-responder.ts'
import { createKnowledge, type KnowledgeHit } from './tools/knowledge.ts'

/** What knowledge bases have about a question. */
export interface KnowledgeAnswer {
  /** The best first; each with the very record that it was given. None: no entry is about the question. */
  readonly hits: readonly KnowledgeHit[]
  /** What an assistant says that has these knowledge bases, and neither model nor tools. */
  readonly says: string
}

type KnowledgeBase = Extract<RecordEntry, { kind: 'faq' }>

/** Searches knowledge bases for one question after the other, as calls do; gives at most `most` hits, the best first. */
export function openKnowledge(bases: readonly KnowledgeBase[]) {
  const knowledge = createKnowledge(createStore(bases))
  const knowledgeBaseIds = bases.map(base => base.knowledgeBaseId)
  return (question: string, most: number) => knowledge.find(knowledgeBaseIds, question, most)
}

/** Asks knowledge bases as a call does. `most` is the greatest number of hits. */
export async function askKnowledge(
  bases: readonly KnowledgeBase[],
  question: string,
  most: number,
): Promise<KnowledgeAnswer> {
  const knowledge = createKnowledge(createStore(bases))
  const knowledgeBaseIds = bases.map(base => base.knowledgeBaseId)
  const { signal } = new AbortController()
  const said: string[] = []
  const respond = createOfflineResponder({
    knowledge,
    knowledgeBaseIds,
    tools: [],
    placedAt: new Date(0),
    later: { say: () => undefined, work: () => undefined },
    callEnded: signal,
  })
  await respond({ history: [], unanswered: [question], signal }, event => {
    if (event.type === 'message') said.push(event.text)
  })
  return { hits: await knowledge.find(knowledgeBaseIds, question, most), says: said.join(' ') }
}
