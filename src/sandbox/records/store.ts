import * as z from 'zod/mini'
import {
  type FaqRecord,
  faqRecordSchema,
  type StoredCall,
  type StoredRecord,
  storedCallSchema,
  storedRecordSchema,
} from '../../files/formats/control-api.ts'
import { someText } from '../../interface/fields.ts'
import { type Infer, lazy } from '../../lib/lazy.ts'

/** Upper limit of counters, because numbers near 2^53 no longer grow when one is added. */
export const maxCounter = 2 ** 40

/** State from which ids, times and faults continue after a restore. */
export const countersSchema = lazy(() => {
  const count = z.int().check(z.nonnegative(), z.maximum(maxCounter))
  return z.object({
    /** Ids that were given out. */
    ids: count,
    /** Requests to the endpoints: faults of requests depend on their number. */
    requests: count,
    /** The clock, ISO 8601. */
    now: z.iso.datetime(),
  })
})

const ofRecords = lazy(
  () =>
    [
      z.object({ kind: z.literal('assistant'), record: storedRecordSchema() }),
      z.object({ kind: z.literal('tool'), record: storedRecordSchema() }),
      z.object({ kind: z.literal('faq'), knowledgeBaseId: z.string(), entries: z.array(faqRecordSchema()) }),
      z.object({ kind: z.literal('call'), record: storedCallSchema() }),
    ] as const,
)

export const snapshotEntrySchema = lazy(() => z.discriminatedUnion('kind', ofRecords()))

/** A change of the sandbox's records, one line of its journal. The last entry of an id is the valid one. */
const entrySchema = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('team'), version: z.literal(1), teamId: z.string(), apiKey: someText() }),
    ...ofRecords(),
    z.object({ kind: z.literal('counters'), counters: countersSchema() }),
  ]),
)

export type RecordEntry = Infer<typeof entrySchema>

/** Not parsed: that would put the fields of a record in another order. */
export function isEntry(value: unknown): value is RecordEntry {
  return entrySchema().safeParse(value).success
}

export type Team = Extract<RecordEntry, { kind: 'team' }>
export type Counters = Infer<typeof countersSchema>

/** Another object after each change. */
export interface StoredKnowledgeBase {
  /** Entry id → entry, in the order of insertion. */
  readonly entries: ReadonlyMap<string, FaqRecord>
}

export type RecordStore = ReturnType<typeof createStore>

/** A call that ran when the sandbox was killed, or a snapshot was taken, is over. */
export function markInterrupted(entry: RecordEntry): RecordEntry {
  if (entry.kind !== 'call' || entry.record.status === 'completed' || entry.record.status === 'forwarded')
    return entry
  const { record } = entry
  return {
    kind: 'call',
    record: { ...record, status: 'completed', endAt: record.updatedAt, callEndTriggerBy: 'system' },
  }
}

/** Beyond this number the oldest finished calls are forgotten: memory and journal stay bounded. */
const maxCalls = 10_000

/** Another store of the same records, at no cost. */
export function forkStore(store: RecordStore): RecordStore {
  return createStore([], store.share())
}

interface Content {
  readonly team?: Team | undefined
  readonly counters?: Counters | undefined
  readonly newestAssistant?: StoredRecord | undefined
  readonly assistants?: ReadonlyMap<string, StoredRecord>
  readonly tools?: ReadonlyMap<string, StoredRecord>
  readonly knowledgeBases?: ReadonlyMap<string, StoredKnowledgeBase>
  readonly calls?: ReadonlyMap<string, StoredCall>
}

export function createStore(entries: Iterable<RecordEntry> = [], content: Content = {}) {
  let { team, counters, newestAssistant } = content
  const assistants = createTable(content.assistants)
  const tools = createTable(content.tools)
  const knowledgeBases = createTable(content.knowledgeBases)
  const calls = createTable(content.calls)
  /** The entries of knowledge bases that this store alone has. */
  const ownEntries = new Map<string, Map<string, FaqRecord>>()

  const store = {
    team: () => team,
    /** Counters of the last restore or reset, until something changes. */
    counters: () => counters,
    assistant: (id: string) => assistants.all.get(id),
    /** In the order of their creation. */
    assistants: () => assistants.all.values(),
    newestAssistant: () => newestAssistant,
    tool: (id: string) => tools.all.get(id),
    tools: () => tools.all.values(),
    knowledgeBase: (id: string) => knowledgeBases.all.get(id),
    knowledgeBases: () => knowledgeBases.all,
    call: (id: string) => calls.all.get(id),
    calls: () => calls.all.values(),
    /** True if a record has this id; ids of calls without `CC-`. */
    has(id: string) {
      for (const { entries } of knowledgeBases.all.values()) if (entries.has(id)) return true
      return assistants.all.has(id) || tools.all.has(id) || calls.all.has(`CC-${id}`)
    },
    /** When the newest record was made or changed, ISO 8601. */
    latest() {
      let latest = ''
      for (const { all } of [assistants, tools, calls]) {
        for (const { updatedAt } of all.values()) {
          if (typeof updatedAt === 'string' && updatedAt > latest && isTime(updatedAt)) latest = updatedAt
        }
      }
      return latest || undefined
    },
    apply(entry: RecordEntry) {
      if (entry.kind === 'team') team = entry
      else counters = entry.kind === 'counters' ? entry.counters : undefined
      if (entry.kind === 'assistant') {
        const isNew = !assistants.all.has(entry.record._id)
        assistants.own().set(entry.record._id, entry.record)
        if (isNew || newestAssistant?._id === entry.record._id) newestAssistant = entry.record
      } else if (entry.kind === 'tool') tools.own().set(entry.record._id, entry.record)
      else if (entry.kind === 'call') {
        const ownCalls = calls.own()
        ownCalls.set(entry.record.id, entry.record)
        if (ownCalls.size > maxCalls) forgetOldest(ownCalls)
      } else if (entry.kind === 'faq') {
        const { knowledgeBaseId: id } = entry
        const before = knowledgeBases.all.get(id)
        const entries = ownEntries.get(id) ?? new Map(before?.entries)
        ownEntries.set(id, entries)
        for (const one of entry.entries) entries.set(one.id, one)
        knowledgeBases.own().set(id, { entries })
      }
    },
    /** The fewest entries that make the same records again. */
    snapshot: (): RecordEntry[] => [
      ...(team === undefined ? [] : [team]),
      ...[...assistants.all.values()].map((record): RecordEntry => ({ kind: 'assistant', record })),
      ...[...tools.all.values()].map((record): RecordEntry => ({ kind: 'tool', record })),
      ...[...knowledgeBases.all].map(
        ([knowledgeBaseId, base]): RecordEntry => ({
          kind: 'faq',
          knowledgeBaseId,
          entries: [...base.entries.values()],
        }),
      ),
      ...[...calls.all.values()].map((record): RecordEntry => ({ kind: 'call', record })),
      ...(counters === undefined ? [] : [{ kind: 'counters' as const, counters }]),
    ],
    /** Returns the content for another store; both copy on write. */
    share(): Content {
      ownEntries.clear()
      return {
        team,
        counters,
        newestAssistant,
        assistants: assistants.share(),
        tools: tools.share(),
        knowledgeBases: knowledgeBases.share(),
        calls: calls.share(),
      }
    },
  }
  for (const entry of entries) store.apply(entry)
  return store
}

/** Records of a snapshot may hold any text. */
function isTime(text: string): boolean {
  return /^\d{4}-/.test(text) && !Number.isNaN(Date.parse(text))
}

/** A map that is shared with other stores until it is written. */
function createTable<Value>(content: ReadonlyMap<string, Value> = new Map()) {
  let shared = content
  let own: Map<string, Value> | undefined
  return {
    get all() {
      return own ?? shared
    },
    own: () => (own ??= new Map(shared)),
    share() {
      shared = own ?? shared
      own = undefined
      return shared
    },
  }
}

function forgetOldest(calls: Map<string, StoredCall>): void {
  for (const { id, status } of calls.values()) {
    if (status === 'queued' || status === 'ongoing') continue
    calls.delete(id)
    return
  }
}
