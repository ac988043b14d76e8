import type { FaqRecord, RecordEntry, StoredCall, StoredRecord, Team } from './entries.ts'

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

/** Finished calls beyond so many are forgotten, the oldest first: memory and journal stay bounded. */
const callsKept = 10_000

export function createStore(entries: Iterable<RecordEntry> = []): RecordStore {
  let team: Team | undefined
  const assistants = new Map<string, StoredRecord>()
  const tools = new Map<string, StoredRecord>()
  const knowledgeBases = new Map<string, { entries: Map<string, FaqRecord>; revision: number }>()
  const calls = new Map<string, StoredCall>()

  const store: RecordStore = {
    team: () => team,
    assistant: id => assistants.get(id),
    newestAssistant: () => [...assistants.values()].at(-1),
    tool: id => tools.get(id),
    knowledgeBase: id => knowledgeBases.get(id),
    call: id => calls.get(id),
    calls: () => calls.values(),
    has: id =>
      assistants.has(id) ||
      tools.has(id) ||
      calls.has(`CC-${id}`) ||
      [...knowledgeBases.values()].some(({ entries }) => entries.has(id)),
    latest: () =>
      [...assistants.values(), ...tools.values(), ...calls.values()]
        .flatMap(({ updatedAt }) => (typeof updatedAt === 'string' ? [updatedAt] : []))
        .sort()
        .at(-1),
    apply(entry) {
      if (entry.kind === 'team') team = entry
      else if (entry.kind === 'assistant') assistants.set(entry.record._id, entry.record)
      else if (entry.kind === 'tool') tools.set(entry.record._id, entry.record)
      else if (entry.kind === 'call') {
        calls.set(entry.record.id, entry.record)
        if (calls.size > callsKept) forgetOldest(calls)
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
