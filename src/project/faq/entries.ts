import * as z from 'zod/mini'
import { hashOf } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import type { Position, Source } from '../../source/index.ts'
import type { PushedEntry, PushLedger } from './ledger.ts'

/** One question-and-answer entry of a file, as it goes to the service (interface.md 2.8). */
export interface FileEntry {
  /** Its place in the file's list, from 0. */
  readonly index: number
  /** The id in the file; undefined while it has none: missing, null or empty. */
  readonly key: string | undefined
  /** The id at the target; undefined while the target has no such entry. Another one than in the file where that is another target's. */
  readonly id: string | undefined
  readonly question: string
  /** The question as the file writes it, references unresolved: what may be shown. */
  readonly label: string
  /** Everything but the id: the body of an insert. */
  readonly content: EntryContent
  /** Found when it is asked for: of a large file it takes a while. */
  position(): Position | undefined
  readonly hashes: EntryHashes
  /** What a project's lockfile may keep of it, to show a later change; undefined outside of a project. */
  readonly text: EntryText | undefined
}

/** Everything of an entry but its id, with included files in place and all other references as they are written. */
export const entryTextSchema = z.record(z.string(), z.unknown())
export type EntryText = Readonly<z.infer<typeof entryTextSchema>>

/** What is remembered of an entry. Hashes only: an entry may hold text from the environment. */
interface EntryHashes {
  readonly content: string
  readonly question: string
}

const contentSchema = z.looseObject({
  question: z.string(),
  answer: z.string(),
  category: z.optional(z.string()),
  updatable: z.optional(z.boolean()),
})
type EntryContent = z.infer<typeof contentSchema>

const fileSchema = z.looseObject({
  knowledgeBaseId: z.optional(z.string()),
  faq: z.array(z.looseObject({ id: z.nullish(z.string()) })),
})

const writtenSchema = z.object({ faq: z.array(z.object({ question: z.string() })) })

export interface FaqFile {
  readonly source: Source
  readonly knowledgeBaseId: string | undefined
  readonly entries: readonly FileEntry[]
}

/** The body once more, for what may be kept of it. */
export interface EntryForms {
  /** With hashes in the place of secrets: for the hashes of entries. */
  readonly hashed?: unknown
  /** Without any secret: for the texts of entries. */
  readonly shown?: unknown
}

/** The entries of a knowledge-base file that passed its check. `body` is what CheckedFile calls so. */
export function readEntries(
  source: Source,
  body: unknown,
  { hashed = body, shown }: EntryForms = {},
): FaqFile {
  const { knowledgeBaseId, faq } = fileSchema.parse(body)
  const faqOf = (form: unknown) => (form === body ? faq : fileSchema.parse(form).faq)
  const toHash = faqOf(hashed)
  const toShow = shown === undefined ? undefined : faqOf(shown)
  const written = writtenSchema.safeParse(source.value).data
  const entries = faq.map(({ id, ...rest }, index): FileEntry => {
    const content = contentSchema.parse(rest)
    const { id: _, ...forHash } = toHash[index] ?? {}
    const { id: __, ...text } = toShow?.[index] ?? {}
    const key = id === null || id === '' ? undefined : id
    return {
      index,
      key,
      id: key,
      question: content.question,
      label: written?.faq[index]?.question ?? `faq[${index}]`,
      content,
      position: () => source.positionOf(['faq', index], 'value'),
      hashes: { content: hashOf(canonical(forHash)), question: hashOf(String(forHash.question)) },
      text: toShow === undefined ? undefined : text,
    }
  })
  return { source, knowledgeBaseId, entries }
}

/** The entries as a target has them, by what is known of it. */
export function entriesAt(
  entries: readonly FileEntry[],
  { idOf }: { idOf(key: string): string | undefined },
): FileEntry[] {
  return entries.map(entry => ({ ...entry, id: entry.key === undefined ? undefined : idOf(entry.key) }))
}

/** JSON with sorted keys: the order of an entry's fields in the file is no change. */
function canonical(value: Readonly<Record<string, unknown>>): string {
  const isFlat = Object.values(value).every(inner => typeof inner !== 'object' || inner === null)
  // Without a function to call for each value, it takes a third of the time.
  return isFlat
    ? JSON.stringify(sorted(value))
    : JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sorted(inner) : inner))
}

function sorted(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

export interface PushPlan {
  /** Entries without an id, in batches: one POST each. */
  readonly inserts: readonly (readonly FileEntry[])[]
  /** Entries with an id whose content is not what was last pushed, in batches: one PUT each. */
  readonly updates: readonly (readonly FileEntry[])[]
  readonly unchanged: readonly FileEntry[]
  /** How many of the updates are sent only because no earlier push of them is known here. PUT is idempotent. */
  readonly unrecorded: number
}

interface PlanOptions {
  readonly batchSize: number
  /** The hash of the content that was last pushed, by the id in the file, if any. */
  pushed(key: string): string | undefined
}

/** The id of an entry at the target, and the one that stands for it in the file. */
export interface AssignedId {
  readonly id: string
  readonly key: string
}

/** The entries of a file, and what is known of them at the target. */
interface FilePlan {
  readonly file: { readonly entries: readonly FileEntry[] }
  readonly ledger: Pick<PushLedger, 'idOf' | 'pushed'>
  readonly batchSize: number
}

/**
 * What a push of a file has to send. `ids` are those that an earlier push has yet to write into the file, by index of
 * entry; `recorded` what it has yet to record. Pure: reads nothing, sends nothing.
 */
export function planFile(
  { file, batchSize, ledger }: FilePlan,
  ids: ReadonlyMap<number, AssignedId>,
  recorded: readonly PushedEntry[] = [],
): PushPlan {
  const hashes = new Map(recorded.map(({ key, hash }) => [key, hash]))
  const entries = entriesAt(file.entries, ledger).map(entry => ({
    ...entry,
    ...ids.get(entry.index),
  }))
  return planPush(entries, { batchSize, pushed: key => hashes.get(key) ?? ledger.pushed(key) })
}

/** What a push of entries has to send. Pure. */
function planPush(entries: readonly FileEntry[], { batchSize, pushed }: PlanOptions): PushPlan {
  const inserts: FileEntry[] = []
  const updates: FileEntry[] = []
  const unchanged: FileEntry[] = []
  let unrecorded = 0
  for (const entry of entries) {
    if (entry.id === undefined) {
      inserts.push(entry)
      continue
    }
    const last = pushed(entry.key ?? entry.id)
    if (last === entry.hashes.content) unchanged.push(entry)
    else updates.push(entry)
    if (last === undefined) unrecorded += 1
  }
  return {
    inserts: batches(inserts, batchSize),
    updates: batches(updates, batchSize),
    unchanged,
    unrecorded,
  }
}

function batches(entries: readonly FileEntry[], size: number): FileEntry[][] {
  return Array.from({ length: Math.ceil(entries.length / size) }, (_, batch) =>
    entries.slice(batch * size, (batch + 1) * size),
  )
}
