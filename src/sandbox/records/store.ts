import * as z from 'zod/mini'
import { someText } from '../../interface/fields.ts'
import { callStatuses } from '../../interface/words.ts'

const record = z.looseObject({ _id: someText() })

const faqRecordSchema = z.looseObject({ id: someText(), question: z.string(), answer: z.string() })

/** interface.md 2.9, and whether the end of it was not said. */
const messageSchema = z.object({
  messageId: z.string(),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  timestamp: z.string(),
  interrupted: z.optional(z.literal(true)),
})

const callSchema = z.looseObject({
  id: someText(),
  teamId: z.string(),
  assistantId: z.optional(z.string()),
  phoneNumberId: z.optional(z.string()),
  direction: z.enum(['inbound', 'outbound']),
  createdAt: z.string(),
  updatedAt: z.string(),
  customer: z.looseObject({ number: z.string(), name: z.optional(z.string()) }),
  status: z.enum(callStatuses),
  metadata: z.optional(z.record(z.string(), z.unknown())),
  phoneVendor: z.string(),
  phoneVendorDetails: z.looseObject({ from: z.string(), to: z.string() }),
  monitor: z.object({ controlUrl: z.string() }),
  startAt: z.optional(z.string()),
  endAt: z.optional(z.string()),
  /** Why the phone was not answered. */
  phoneCallStatus: z.optional(z.string()),
  callEndTriggerBy: z.optional(z.string()),
  analysis: z.optional(z.record(z.string(), z.unknown())),
  forwardedTo: z.optional(z.record(z.string(), z.optional(z.string()))),
  messages: z.optional(z.array(messageSchema)),
  toolCalls: z.optional(z.array(z.looseObject({ id: z.string(), name: z.string() }))),
  failures: z.optional(z.array(z.object({ part: z.string(), message: z.string() }))),
  unsetVariables: z.optional(z.array(z.string())),
})

/** One change of the sandbox's records, one line of its journal. The last entry about an id is the one that holds. */
export const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('team'), version: z.literal(1), teamId: z.string(), apiKey: someText() }),
  z.object({ kind: z.literal('assistant'), record }),
  z.object({ kind: z.literal('tool'), record }),
  z.object({ kind: z.literal('faq'), knowledgeBaseId: z.string(), entries: z.array(faqRecordSchema) }),
  z.object({ kind: z.literal('call'), record: callSchema }),
])

export type RecordEntry = z.infer<typeof entrySchema>
export type Team = Extract<RecordEntry, { kind: 'team' }>
/** An assistant (interface.md 2.1) or a tool (interface.md 2.5) as the service answers it. */
export type StoredRecord = z.infer<typeof record>
/** interface.md 2.8. */
export type FaqRecord = z.infer<typeof faqRecordSchema>
/**
 * interface.md 2.7, and what became of the call: startAt, endAt, phoneCallStatus, callEndTriggerBy, analysis, where it was forwarded to, what
 * was said, which tools were used, what did not work, and the variables that are not set.
 */
export type StoredCall = z.infer<typeof callSchema>

export interface StoredKnowledgeBase {
  /** Entry id → entry, in the order of insertion. */
  readonly entries: ReadonlyMap<string, FaqRecord>
  /** Rises with each change: an index built for another revision is stale. */
  readonly revision: number
}

/** All records of the sandbox, in memory. */
export interface RecordStore {
  team(): Team | undefined
  assistant(id: string): StoredRecord | undefined
  /** In the order of their creation. */
  assistants(): Iterable<StoredRecord>
  newestAssistant(): StoredRecord | undefined
  tool(id: string): StoredRecord | undefined
  knowledgeBase(id: string): StoredKnowledgeBase | undefined
  call(id: string): StoredCall | undefined
  calls(): Iterable<StoredCall>
  /** Whether any record has this id; a call's without its `CC-`. */
  has(id: string): boolean
  /** When the newest record was made or changed, ISO 8601. */
  latest(): string | undefined
  apply(entry: RecordEntry): void
  /** The fewest entries that make the same records again. */
  snapshot(): RecordEntry[]
}

/** Beyond this number the oldest finished calls are forgotten: memory and journal stay bounded. */
const maxCalls = 10_000

export function createStore(entries: Iterable<RecordEntry> = []): RecordStore {
  let team: Team | undefined
  let newestAssistant: StoredRecord | undefined
  const assistants = new Map<string, StoredRecord>()
  const tools = new Map<string, StoredRecord>()
  const knowledgeBases = new Map<string, { entries: Map<string, FaqRecord>; revision: number }>()
  const calls = new Map<string, StoredCall>()

  const store: RecordStore = {
    team: () => team,
    assistant: id => assistants.get(id),
    assistants: () => assistants.values(),
    newestAssistant: () => newestAssistant,
    tool: id => tools.get(id),
    knowledgeBase: id => knowledgeBases.get(id),
    call: id => calls.get(id),
    calls: () => calls.values(),
    has: id =>
      assistants.has(id) ||
      tools.has(id) ||
      calls.has(`CC-${id}`) ||
      [...knowledgeBases.values()].some(({ entries }) => entries.has(id)),
    latest() {
      let latest: string | undefined
      for (const records of [assistants, tools, calls]) {
        for (const { updatedAt } of records.values()) {
          if (typeof updatedAt === 'string' && (latest === undefined || updatedAt > latest))
            latest = updatedAt
        }
      }
      return latest
    },
    apply(entry) {
      if (entry.kind === 'team') team = entry
      else if (entry.kind === 'assistant') {
        const isNew = !assistants.has(entry.record._id)
        assistants.set(entry.record._id, entry.record)
        if (isNew || newestAssistant?._id === entry.record._id) newestAssistant = entry.record
      } else if (entry.kind === 'tool') tools.set(entry.record._id, entry.record)
      else if (entry.kind === 'call') {
        calls.set(entry.record.id, entry.record)
        if (calls.size > maxCalls) forgetOldest(calls)
      } else {
        const base = knowledgeBases.get(entry.knowledgeBaseId) ?? { entries: new Map(), revision: 0 }
        for (const one of entry.entries) base.entries.set(one.id, one)
        base.revision += 1
        knowledgeBases.set(entry.knowledgeBaseId, base)
      }
    },
    snapshot: () => [
      ...(team === undefined ? [] : [team]),
      ...[...assistants.values()].map((record): RecordEntry => ({ kind: 'assistant', record })),
      ...[...tools.values()].map((record): RecordEntry => ({ kind: 'tool', record })),
      ...[...knowledgeBases].map(
        ([knowledgeBaseId, base]): RecordEntry => ({
          kind: 'faq',
          knowledgeBaseId,
          entries: [...base.entries.values()],
        }),
      ),
      ...[...calls.values()].map((record): RecordEntry => ({ kind: 'call', record })),
    ],
  }
  for (const entry of entries) store.apply(entry)
  return store
}

function forgetOldest(calls: Map<string, StoredCall>): void {
  for (const { id, status } of calls.values()) {
    if (status === 'queued' || status === 'ongoing') continue
    calls.delete(id)
    return
  }
}
