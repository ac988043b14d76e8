import * as z from 'zod/mini'
import type { Diagnostic, Source } from '../../files/source/index.ts'
import type { Position } from '../../files/text/index.ts'
import { valueError } from '../../interface/finding.ts'
import { CallyardError } from '../../lib/error.ts'
import { hashContent } from '../../lib/hash.ts'
import { isObject } from '../../lib/json.ts'
import { lazy } from '../../lib/lazy.ts'
import { didYouMean, findByBeginning, meantHint } from '../../lib/text/did-you-mean.ts'
import type { EntryText, PushedEntry, PushLedger } from '../lockfile/entries/index.ts'
import { ambiguousEntry } from '../lockfile/index.ts'
import type { NoIdSlotReason } from './id-slots.ts'
import type { Splice } from './splice.ts'

/** The forms of a file's list that its entries are taken from, entry by entry: a large file has no second copy of them. */
interface EntryLists {
  readonly source: Source
  /** Entries before references are resolved. */
  readonly written: EntryList
  readonly body: EntryList
  hashed(): EntryList
  shown(): EntryList
}

/** A rendering of the file, for hashes and texts of entries. Default: its body. */
interface EntryForms {
  hashed(): unknown
  shown(): unknown
}

type EntryList = readonly unknown[]

/** Identity of an entry in the file and at the target. */
interface EntryIds {
  /** The id in the file; undefined while it has none: missing, null or empty. */
  readonly key: string | undefined
  /** Id at the target; undefined if the target has no such entry. Differs from the file's id if that belongs to another target. */
  readonly id: string | undefined
}

/** An FAQ entry of a file, as sent to the service (interface.md 2.8). Everything but the ids is computed lazily. */
export class FileEntry implements EntryIds {
  readonly #lists: EntryLists
  /** 0-based index in the file's list. */
  readonly index: number
  readonly key: string | undefined
  readonly id: string | undefined

  constructor(lists: EntryLists, index: number, { key, id }: EntryIds) {
    this.#lists = lists
    this.index = index
    this.key = key
    this.id = id
  }

  /** The same entry as a target knows it. */
  at(ids: Partial<EntryIds>): FileEntry {
    const { key, id } = { key: this.key, id: this.id, ...ids }
    return key === this.key && id === this.id ? this : new FileEntry(this.#lists, this.index, { key, id })
  }

  /** Everything but the id: the body of an insert. */
  get content(): EntryContent {
    return contentSchema.parse(withoutId(this.#lists.body[this.index]))
  }

  get question(): string {
    return this.content.question
  }

  /** The question as the file writes it, references unresolved: what may be shown. */
  get label(): string {
    const entry = this.#lists.written[this.index]
    const question = isObject(entry) ? entry.question : undefined
    return typeof question === 'string' ? question : `faq[${this.index}]`
  }

  position(): Position | undefined {
    return this.#lists.source.positionOf(['faq', this.index], 'value')
  }

  /** Recorded hashes. The text is not recorded, because it may contain text from the environment. */
  get hashes(): Readonly<Record<'content' | 'question', string>> {
    const entry = withoutId(this.#lists.hashed()[this.index])
    return { content: hashContent(canonical(entry)), question: hashContent(String(entry.question)) }
  }

  /** Text that a project's lockfile may record to show later changes. */
  get text(): EntryText {
    return withoutId(this.#lists.shown()[this.index])
  }
}

const contentSchema = z.looseObject({
  question: z.string(),
  answer: z.string(),
  category: z.optional(z.string()),
  updatable: z.optional(z.boolean()),
})
type EntryContent = z.infer<typeof contentSchema>

/** Returns the entries of a knowledge-base file that passed its check. `body` is what CheckedFile calls so. */
export function readEntries(source: Source, body: unknown, forms?: EntryForms): FileEntry[] {
  const lists: EntryLists = {
    source,
    written: listIn(source.value),
    body: listIn(body),
    hashed: lazy(() => listIn(forms === undefined ? body : forms.hashed())),
    shown: lazy(() => listIn(forms === undefined ? body : forms.shown())),
  }
  return lists.body.map((entry, index) => {
    const id = isObject(entry) ? entry.id : undefined
    const key = typeof id === 'string' && id !== '' ? id : undefined
    return new FileEntry(lists, index, { key, id: key })
  })
}

function listIn(value: unknown): EntryList {
  const list = isObject(value) ? value.faq : undefined
  return Array.isArray(list) ? list : []
}

function withoutId(entry: unknown): Record<string, unknown> {
  const { id: _, ...rest } = isObject(entry) ? entry : {}
  return rest
}

/** The entries as a target has them, by what is known of it. */
export function entriesAt(entries: readonly FileEntry[], ledger: PushLedger): FileEntry[] {
  return entries.map(entry => entry.at({ id: entry.key === undefined ? undefined : ledger.idOf(entry.key) }))
}

/** Returns JSON with sorted keys, so that reordered fields are not a change. */
function canonical(value: Readonly<Record<string, unknown>>): string {
  const isFlat = Object.values(value).every(inner => typeof inner !== 'object' || inner === null)
  // Without a function to call for each value, it takes a third of the time.
  return isFlat
    ? JSON.stringify(sortKeys(value))
    : JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sortKeys(inner) : inner))
}

function sortKeys(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

export interface PushPlan {
  /** Entries without an id. */
  readonly inserts: readonly FileEntry[]
  /** Entries with an id whose content is not what was last pushed. */
  readonly updates: readonly FileEntry[]
  readonly unchanged: readonly FileEntry[]
  /** Number of updates sent only because no earlier push is recorded. PUT is idempotent. */
  readonly unrecorded: number
}

/** Ids of an entry at the target and in the file. */
export interface AssignedId {
  readonly key: string
  readonly id: string
}

/**
 * Plans a push. `entries` are those of the target; `ids` are the ids, by entry index, that an earlier push did not write into the file;
 * `pushedEntries` are the entries that it did not record. Pure.
 */
export function planFile(
  entries: readonly FileEntry[],
  ledger: PushLedger,
  ids: ReadonlyMap<number, AssignedId>,
  pushedEntries: readonly PushedEntry[] = [],
): PushPlan {
  const hashes = new Map(pushedEntries.map(({ key, hash }) => [key, hash]))
  const inserts: FileEntry[] = []
  const updates: FileEntry[] = []
  const unchanged: FileEntry[] = []
  let unrecorded = 0
  for (const fileEntry of entries) {
    const assignedId = ids.get(fileEntry.index)
    const entry = assignedId === undefined ? fileEntry : fileEntry.at(assignedId)
    if (entry.id === undefined) {
      inserts.push(entry)
      continue
    }
    const key = entry.key ?? entry.id
    const last = hashes.get(key) ?? ledger.pushed(key)
    if (last === entry.hashes.content) unchanged.push(entry)
    else updates.push(entry)
    if (last === undefined) unrecorded += 1
  }
  return { inserts, updates, unchanged, unrecorded }
}

/** Returns the id that a knowledge base's file names; loading has checked that there is one. */
export function getKnowledgeBaseId(body: unknown): string {
  return String(isObject(body) ? body.knowledgeBaseId : '')
}

/** Entries without an id whose place in the file cannot take one, each with the reason. Found before anything is sent. */
export function missingIdSlots(
  { file }: Source,
  entries: readonly FileEntry[],
  refusal: Splice['refusal'],
): Diagnostic[] {
  return entries.flatMap(entry => {
    const { index, key } = entry
    const reason = key === undefined ? refusal(index) : undefined
    if (reason === undefined) return []
    const message = `faq[${index}] cannot take the id that the service will assign: ${noSlot[reason]}`
    const hint = 'write the entry as a separate mapping'
    const finding = valueError(['faq', index], 'no-place-for-id', message, hint)
    return [{ file, position: entry.position(), ...finding }]
  })
}

const noSlot: Readonly<Record<NoIdSlotReason, string>> = {
  unknown: 'its position in the file cannot be found',
  alias: 'it is an alias of another entry',
  'no-mapping': 'it is not a mapping',
  empty: 'it is empty',
  'id-form': 'the form of its id field cannot be filled in',
  'id-alias': 'its id field is an alias or has an anchor or tag',
  'id-reference': 'its id field is a reference to an empty value; write the id, or remove the field',
}

/** @throws CallyardError `usage` for an id that is not in the file */
export function forgottenKeys(
  entries: readonly FileEntry[],
  forget: readonly string[] = [],
  file: string,
): string[] {
  if (forget.length === 0) return []
  const keys = entries.flatMap(({ key }) => key ?? [])
  return forget.map(text => {
    const match = findByBeginning(text, keys, key => key)
    if (match.kind === 'found') return match.item
    if (match.kind === 'ambiguous') throw ambiguousEntry(text, match.candidates)
    const near = didYouMean(text, keys)
    throw new CallyardError('usage', `no entry of ${file} has the id ${text}; nothing was sent`, {
      ...{ code: 'forget-no-entry', hint: meantHint(near) },
      details: { file, id: text, near },
    })
  })
}
