import { CallyardError } from '../../lib/error.ts'
import { count } from '../../lib/text/count.ts'
import type { PendingEntry, PushedEntry, PushLedger } from '../lockfile/entries/index.ts'
import type { FileEntry } from './entries.ts'
import { isWritableId, normalForm } from './match.ts'

/** An entry whose id is known, and is not in the file. */
interface PlacedEntry {
  readonly entry: FileEntry
  readonly pushed: PushedEntry
}

/** Known ids and hashes that are not in the file yet. */
export interface Recovery {
  /** Ids that have to be written into the file: of a push that could not, or that the file had and lost. */
  readonly placed: readonly PlacedEntry[]
  /** Entries whose id is in the file already. */
  readonly settled: readonly PendingEntry[]
  /** Entries whose outcome at the service is unknown. */
  readonly open: readonly OpenEntry[]
}

export interface OpenEntry {
  readonly pending: PendingEntry
  /** Current entry in the file; undefined if it was removed or its question changed. */
  readonly entry: FileEntry | undefined
}

/**
 * Finds known ids that are missing from the file after an unfinished batch or a restored backup. An entry without an id is matched to a
 * recorded entry with the same content whose id is not in the file. `entries` are those of the target. Pure.
 */
export function recover(ledger: PushLedger, entries: readonly FileEntry[]): Recovery {
  const pushedEntries = ledger.pushedEntries()
  const recovery = recoverPending(ledger.pending, entries, new Set(pushedEntries.map(({ id }) => id)))
  // A first push has nothing to compare a file with, and hashing a large one takes a while.
  if (pushedEntries.length === 0) return recovery
  const keys = new Set(entries.flatMap(({ key }) => key ?? []))
  const placedIndexes = new Set(recovery.placed.map(({ entry }) => entry.index))
  const knownIds = new Set(recovery.placed.map(({ pushed }) => pushed.id))
  const bare = entries.filter(
    ({ index, key, id }) => key === undefined && id === undefined && !placedIndexes.has(index),
  )
  const byContent = new Map(bare.map(entry => [entry.hashes.content, entry]))
  const lost = pushedEntries.flatMap((pushed): PlacedEntry[] => {
    const entry = keys.has(pushed.key) || knownIds.has(pushed.id) ? undefined : byContent.get(pushed.hash)
    if (entry === undefined) return []
    byContent.delete(pushed.hash)
    return [{ entry, pushed }]
  })
  return { ...recovery, placed: [...recovery.placed, ...lost] }
}

/**
 * Finds the entries of an unfinished batch in the file again: by all of their content, else by their question. A person
 * may have edited the file in the meantime, moved entries, or given them ids by hand. `recordedIds` are the ids that the
 * target is known to hold.
 */
function recoverPending(
  openEntries: readonly PendingEntry[],
  entries: readonly FileEntry[],
  recordedIds: ReadonlySet<string>,
): Recovery {
  if (openEntries.length === 0) return { placed: [], settled: [], open: [] }
  const ids = new Set(entries.map(({ id }) => id))
  const hashed = entries.map(entry => ({ entry, hashes: entry.hashes }))
  const byContent = new Map(hashed.map(({ entry, hashes }) => [hashes.content, entry]))
  const byQuestion = new Map(hashed.map(({ entry, hashes }) => [hashes.question, entry]))
  const placed: PlacedEntry[] = []
  const settled: PendingEntry[] = []
  const open: OpenEntry[] = []
  for (const pending of openEntries) {
    const { id } = pending
    const entry = byContent.get(pending.content) ?? byQuestion.get(pending.question)
    // A person may have taken it out of the file before its id was written there.
    const isGone = id !== undefined && entry === undefined && recordedIds.has(id)
    const isInFile = id === undefined ? entry?.id !== undefined : ids.has(id)
    if (isGone || isInFile) settled.push(pending)
    else if (id === undefined || entry === undefined || entry.id !== undefined) open.push({ pending, entry })
    else placed.push(placeEntry(entry, id, pending))
  }
  return { placed, settled, open }
}

function placeEntry(entry: FileEntry, id: string, { content }: PendingEntry): PlacedEntry {
  return { entry, pushed: { key: entry.key ?? id, id, hash: content } }
}

/** An id that the service has given to an entry of an open batch, as a person says. */
export interface BatchId {
  readonly id: string
  /** Question given by the user; otherwise the order of the batch decides. */
  readonly question: string | undefined
  readonly line: number
}

/**
 * Ids that a person found for an open batch: one per line in the order of the batch, or lines `id<TAB>question`. Empty lines are skipped.
 * `name` is the file, for errors.
 * @throws CallyardError `usage` for no ids, both forms in one file, an id that no file can hold, or an id or question twice.
 */
export function parseBatchIds(text: string, name: string): BatchId[] {
  const ids = text.split(/\r\n|\n|\r/).flatMap((written, index): BatchId[] => {
    if (written.trim() === '') return []
    const [id = '', ...rest] = written.split('\t')
    return [
      { id: id.trim(), question: rest.length === 0 ? undefined : rest.join('\t').trim(), line: index + 1 },
    ]
  })
  const file = name
  if (ids.length === 0) throw wrong(`${file} contains no ids`, { fault: 'empty', file })
  const withQuestion = ids.filter(({ question }) => question !== undefined).length
  if (withQuestion !== 0 && withQuestion !== ids.length)
    throw wrong(`${file} mixes lines with and without a question`, { fault: 'mixed', file })
  const lineOfId = new Map<string, number>()
  const lineOfQuestion = new Map<string, number>()
  for (const { id, question, line } of ids) {
    if (!isWritableId(id)) throw wrong(`${file}:${line} is not an id`, { fault: 'malformed', file, line })
    const twin = lineOfId.get(id) ?? (question && lineOfQuestion.get(normalForm(question)))
    if (twin)
      throw wrong(`${file}:${line} repeats line ${twin}`, { fault: 'repeated', file, line, same: twin })
    lineOfId.set(id, line)
    if (question !== undefined) lineOfQuestion.set(normalForm(question), line)
  }
  return ids
}

/**
 * Assigns ids that a person found at the service to the open entries of an earlier push. In the form with questions, entries without a
 * line stay open. Pure.
 * @throws CallyardError `usage` if nothing is open, the count differs, a question is not open, or an id is known.
 */
export function adoptBatch(
  { placed, settled, open }: Recovery,
  ids: readonly BatchId[],
  isKnown: (id: string) => boolean,
): Recovery {
  if (open.length === 0)
    throw new CallyardError('usage', 'this file has no open batch; nothing was sent', {
      ...{ code: 'batch-closed', hint: 'run again without ids' },
    })
  const batchId = ids.find(({ id }) => isKnown(id))
  if (batchId !== undefined) {
    const { line, id } = batchId
    throw wrong(`line ${line} has the id ${id} of another entry`, { fault: 'known', line, id })
  }
  const matchedIds = ids[0]?.question === undefined ? byOrder(open, ids) : byQuestion(open, ids)
  const recovery = { placed: [...placed], settled: [...settled] }
  const left = open.filter(({ pending, entry }, index) => {
    const id = matchedIds[index]
    if (id === undefined) return true
    // An entry that was removed from the file is only recorded, and plan lists it as orphaned.
    if (entry === undefined || entry.id !== undefined) recovery.settled.push({ ...pending, id })
    else recovery.placed.push(placeEntry(entry, id, pending))
    return false
  })
  return { ...recovery, open: left }
}

function byOrder(open: readonly OpenEntry[], ids: readonly BatchId[]): string[] {
  if (ids.length !== open.length) {
    const reason = `${count(ids.length, 'id')} cannot be matched by order with the ${open.length} open entries`
    throw wrong(reason, { fault: 'count', ids: ids.length, open: open.length })
  }
  return ids.map(({ id }) => id)
}

function byQuestion(open: readonly OpenEntry[], ids: readonly BatchId[]): (string | undefined)[] {
  const names = open.map(({ entry }) =>
    entry === undefined ? [] : [normalForm(entry.question), normalForm(entry.label)],
  )
  const questions = new Set(names.flat())
  const idOf = new Map(ids.map(({ id, question = '' }) => [normalForm(question), id]))
  const stray = ids.find(({ question = '' }) => !questions.has(normalForm(question)))
  if (stray !== undefined) {
    const { line, question } = stray
    const reason = `line ${line} names a question that is not open: ${JSON.stringify(question)}`
    throw wrong(reason, { fault: 'not-open', line, question })
  }
  return names.map(candidates => candidates.flatMap(name => idOf.get(name) ?? [])[0])
}

function wrong(reason: string, details: CallyardError['details']): CallyardError {
  return new CallyardError('usage', `${reason}; nothing was sent, nothing was written`, {
    code: 'batch-ids',
    hint: 'write one id per line in the order of the batch, or lines id<TAB>question',
    details,
  })
}
