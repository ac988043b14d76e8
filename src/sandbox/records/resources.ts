import type { FaqRecord, StoredRecord } from '../../files/formats/control-api.ts'
import { assistantSchema } from '../../interface/assistant.ts'
import { type Finding, valueError } from '../../interface/finding.ts'
import { toolSchema } from '../../interface/tool.ts'
import { type Vocabulary, withDefaults } from '../../interface/vocabulary.ts'
import type { SandboxClock } from '../clock/world-clock.ts'
import { checkServer } from '../webhooks/delivery.ts'
import { invalidBody, notFound } from './problem.ts'
import type { Records } from './records.ts'

type Body = Readonly<Record<string, unknown>>
type NewFaqRecord = Omit<FaqRecord, 'id'> & { readonly question: string; readonly answer: string }

interface ResourcesOptions {
  readonly records: Records
  readonly time: SandboxClock
  readonly vocabulary: Vocabulary
  readonly newId: () => string
}

/** Assistants, tools and FAQ entries: interface.md 4.3 to 4.7. Bodies have passed the interface's schemas. */
export function createResources({ records, time, vocabulary, newId }: ResourcesOptions) {
  const { store, team } = records
  const now = () => new Date(time.stamp()).toISOString()
  const create = async (kind: 'assistant' | 'tool', fields: Body) => {
    const at = now()
    const record = { ...fields, _id: newId(), teamId: team.teamId, createdAt: at, updatedAt: at }
    await records.save({ kind, record })
    return record
  }
  return {
    async createAssistant(body: Body): Promise<StoredRecord> {
      const findings = checkAssistant(body, store)
      if (findings.length > 0) throw invalidBody(findings)
      return create('assistant', withDefaults(assistantSchema(vocabulary), body))
    },
    createTool: (body: Body): Promise<StoredRecord> => create('tool', withDefaults(toolSchema(), body)),
    updateTool: (id: string, body: Body): Promise<StoredRecord> =>
      records.exclusively(async () => {
        const tool = store.tool(id)
        if (tool === undefined) throw notFound('tool with the id', id, 'use an _id returned by Create tool')
        const record = { ...tool, ...body, updatedAt: now() }
        await records.save({ kind: 'tool', record })
        return record
      }),
    async insertFaq(knowledgeBaseId: string, faq: readonly NewFaqRecord[]) {
      const entries = faq.map(entry => ({ ...entry, id: newId() }))
      await records.save({ kind: 'faq', knowledgeBaseId, entries })
      return { faq: entries }
    },
    updateFaq: (knowledgeBaseId: string, faq: readonly FaqRecord[]) =>
      records.exclusively(async () => {
        const base = store.knowledgeBase(knowledgeBaseId)
        if (base === undefined) {
          const hint = 'it comes to life with its first insert (POST)'
          throw notFound('knowledge base with the id', knowledgeBaseId, hint)
        }
        const findings = checkUpdate(faq, base.entries, knowledgeBaseId)
        if (findings.length > 0) throw invalidBody(findings)
        const entries = faq.map(entry => ({ ...base.entries.get(entry.id), ...entry }))
        await records.save({ kind: 'faq', knowledgeBaseId, entries })
        return { faq: entries }
      }),
  }
}

/**
 * Checks that schemas cannot do. A missing knowledge base is not an error: it is created by its first insert, which may follow the
 * assistant.
 */
export function checkAssistant(
  assistant: Body,
  store: Records['store'],
  at: readonly string[] = [],
): Finding[] {
  const ids = Array.isArray(assistant.assistantToolIds) ? assistant.assistantToolIds : []
  const unknown = ids.flatMap((id, index) =>
    store.tool(String(id)) === undefined
      ? [
          valueError(
            [...at, 'assistantToolIds', index],
            'not-found',
            `tool ${JSON.stringify(id)} not found`,
            'create the tool first and use its _id',
          ),
        ]
      : [],
  )
  return [...unknown, ...checkServer(assistant, at)]
}

function checkUpdate(
  faq: readonly FaqRecord[],
  storedEntries: ReadonlyMap<string, FaqRecord>,
  knowledgeBaseId: string,
): Finding[] {
  const ids = new Set<string>()
  return faq.flatMap(({ id }, index) => {
    const path = ['faq', index, 'id']
    if (!storedEntries.has(id)) {
      const message = `knowledge base ${knowledgeBaseId} holds no entry with the id ${JSON.stringify(id)}`
      return [valueError(path, 'not-found', message)]
    }
    if (ids.has(id)) return [valueError(path, 'duplicate', `the entry ${id} is listed twice`)]
    ids.add(id)
    return []
  })
}
