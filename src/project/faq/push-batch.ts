import type { Address } from '../../files/formats/address.ts'
import type { Source } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { type Api, hasKnownOutcome } from '../../service/api/index.ts'
import type { PendingEntry, PushLedger, Target } from '../lockfile/entries/index.ts'
import type { FileEntry, PushPlan } from './entries.ts'
import { answerLost, answerUnclear, idsNotKept, type UnknownEntry } from './errors.ts'
import { matchResponse } from './match.ts'
import type { BatchId } from './recover.ts'
import type { SplicedFile } from './spliced-file.ts'

/** One POST (interface.md 4.6): kept before it is sent, its ids kept before they are written into the file. */
export async function insertBatch(push: Push, batch: readonly FileEntry[]): Promise<void> {
  const { ledger, spliced, target, source } = push
  await spliced.assertUntouched()
  const rollback = await ledger.send(toPending(push, batch))
  await push.assertAlone().catch(async error => {
    await rollback().catch(() => {})
    throw error
  })
  push.hasSent = true
  const faq = batch.map(({ content }) => content)
  const response = await push.api.insertFaq(target.knowledgeBaseId, faq).catch(async error => {
    if (!(error instanceof CallyardError)) throw error
    if (!hasKnownOutcome(error)) {
      const batchFacts = { ...createBatch(push), unknown: await describeEntries(push, batch) }
      throw error.details.outcome === 'done'
        ? answerUnclear(batchFacts, error)
        : answerLost(batchFacts, error)
    }
    // The error that rejected the batch is more useful than a failure to discard it: the next push asks about the batch.
    await rollback().catch(() => {})
    throw error
  })
  const questions = faq.map(({ question }) => question)
  const matched = matchResponse(questions, response, id => push.knownIds.has(id) || ledger.holds(id))
  await ledger.answer(matched).catch(async error => {
    const unknown = (await describeEntries(push, batch)).map((entry, offset) => ({
      ...entry,
      id: matched[offset],
    }))
    throw idsNotKept(source.file, unknown, error)
  })
  batch.forEach(({ index }, offset) => {
    const id = matched[offset]
    if (id === undefined) return
    push.ids[index] = id
    push.unwritten.push(index)
    push.inserted += 1
  })
  push.onProgress(push.inserted + push.updated)
  const open = batch.filter(({ index }) => push.ids[index] === undefined)
  if (open.length === 0) return
  const unknown = await describeEntries(push, open)
  // Ids that the file rejects are kept in the ledger: a person may have edited their entries, so that their texts no longer match.
  const received = ledger.pending.filter(({ id }) => id !== undefined)
  // If the disk fails here, the next push finds the same entries open.
  await ledger.keepOpen([...received, ...toPending(push, open)]).catch(() => {})
  throw answerUnclear({ ...createBatch(push), unknown })
}

/**
 * Writes ids received since the last write into the file. The ledger already has them, because a write takes time proportional to the
 * file.
 */
export async function writeIds(push: Push): Promise<void> {
  const { ids, unwritten, ledger, source } = push
  if (unwritten.length === 0) return
  const { file } = source
  const { keptIn } = ledger.storage
  const count = unwritten.length
  const text =
    count === 1
      ? `1 entry is stored; its id is in ${keptIn}, and the next run writes it into ${file}`
      : `${count} entries are stored; their ids are in ${keptIn}, and the next run writes them into ${file}`
  await assign(push, unwritten, ids).catch(asPartialFailure('ids-not-written', text, { file, count, keptIn }))
  push.unwritten = []
  // Should the disk fail here, the next push finds these ids in the file.
  await ledger.written().catch(() => {})
}

/** Describes entries by their lines in the file, after all ids were written. */
async function describeEntries(push: Push, entries: readonly FileEntry[]): Promise<UnknownEntry[]> {
  await writeIds(push).catch(() => {})
  const name = entryDescriber(push)
  return entries.map(entry => name(entry))
}

/** Converts a usage error to a partial failure once the service has stored a batch. */
export function asPartialFailure(
  code: string,
  text: string,
  details: CallyardError['details'],
): (error: unknown) => never {
  return error => {
    if (!(error instanceof CallyardError) || error.kind !== 'usage') throw error
    throw new CallyardError('partial', `${error.message}\n${text}`, { code, details, cause: error })
  }
}

/** Which batch an error is about, and the file to push again, which names its knowledge base or not. */
export function createBatch({ file, source, target: { knowledgeBaseId } }: PushJob) {
  const fileId = isObject(source.value) ? source.value.knowledgeBaseId : undefined
  return { file: source.file, pushed: file, knowledgeBaseId, isNamed: fileId === knowledgeBaseId }
}

function toPending(push: Push, batch: readonly FileEntry[]): PendingEntry[] {
  const lineOf = lineFinder(push)
  return batch.map(entry => {
    const { content, question } = entry.hashes
    return { line: lineOf(entry), content, question, key: entry.key }
  })
}

export interface BatchOptions {
  readonly batchSize: number
  /** Sends entries again whose outcome at the service is unknown. */
  readonly resendUnknown: boolean
  /** The ids of entries of which it was unknown whether the service has them. */
  readonly batchIds?: readonly BatchId[] | undefined
}

export interface PushJob extends BatchOptions {
  /** Display name of the file that is pushed. */
  readonly file: string
  /** The file, or the table that it names. */
  readonly source: Source
  /** Entries of the target before the push. */
  readonly entries: readonly FileEntry[]
  readonly target: Target
  readonly ledger: PushLedger
  readonly spliced: SplicedFile
  /** Undefined for a file that belongs to no project. */
  readonly inProject: { readonly address: Address; readonly target: string } | undefined
}

export interface PushEvents {
  onPlan(plan: PushPlan): void
  onProgress(doneCount: number): void
}

export interface PushTools extends PushEvents {
  readonly api: Pick<Api, 'insertFaq' | 'updateFaq'>
  readonly signal: AbortSignal
  /** Called before each batch is kept, and again before it is sent. @throws CallyardError when this push is no longer the only one. */
  assertAlone(): Promise<void>
}

export interface Push extends PushJob, PushTools {
  /** Ids at the target that are new, by index of entry. */
  readonly ids: (string | undefined)[]
  /** Indexes of entries whose new id the file does not have yet. */
  unwritten: number[]
  /** Ids at the target of entries with an id in the file. The ledger contains those of this push. */
  readonly knownIds: ReadonlySet<string>
  /** Entries whose update was rejected while others were accepted, with their ids at the target. */
  readonly refused: { readonly entry: FileEntry; readonly id: string; readonly error: CallyardError }[]
  inserted: number
  updated: number
  /** True if a request may have reached the service. */
  hasSent: boolean
}

/**
 * Writes ids into the file; `keys` are by index of entry. Entries that have an id of another target keep it in the file; the ledger
 * knows them by it.
 */
export async function assign(
  { spliced, entries }: PushJob,
  indexes: readonly number[],
  keys: readonly (string | undefined)[],
): Promise<void> {
  const bare = indexes.filter(index => entries[index]?.key === undefined)
  await spliced.assign(bare, keys)
}

/** Returns the current line of an entry, shifted by the ids written above it. */
function lineFinder({ spliced }: PushJob): (entry: FileEntry) => number | undefined {
  const linesAbove = spliced.addedLines()
  return entry => {
    const line = entry.position()?.line
    return line === undefined ? undefined : line + linesAbove(entry.index)
  }
}

/** Describes entries for error messages. An entry of an unfinished batch may have been removed from the file. */
export function entryDescriber(job: PushJob) {
  const lineOf = lineFinder(job)
  const { file } = job.source
  return (entry: FileEntry | undefined, { line, id }: Partial<PendingEntry> = {}): UnknownEntry =>
    entry === undefined
      ? { file, line, question: undefined, id }
      : { file, line: lineOf(entry), question: entry.label, id }
}
