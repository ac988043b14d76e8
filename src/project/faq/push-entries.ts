import { maxOwnFileBytes } from '../../files/formats/file-limits.ts'
import { InvalidInput } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import type { PendingEntry, PushedEntry } from '../lockfile/entries/index.ts'
import { type AssignedId, type FileEntry, missingIdSlots, type PushPlan, planFile } from './entries.ts'
import { batchOpen, nothingSent } from './errors.ts'
import {
  assign,
  createBatch,
  entryDescriber,
  insertBatch,
  type Push,
  type PushJob,
  type PushTools,
  writeIds,
} from './push-batch.ts'
import { adoptBatch, type BatchId, type Recovery, recover } from './recover.ts'
import { updateBatch } from './update-batch.ts'

interface NewId {
  readonly question: string
  readonly id: string
}

export interface PushResult {
  readonly inserted: number
  readonly updated: number
  readonly unchanged: number
  /** The ids that are new in the file: of this push, and of one that ended before it could write them. */
  ids(): readonly NewId[]
}

/**
 * Inserts entries without an id and updates changed ones in batches, and writes new ids into the file after the 1st, 2nd, 4th, 8th…
 * batch and at the end (interface.md 4.6 and 4.7).
 *
 * A kill never inserts an entry twice: the ledger records a batch before its POST, and its ids before the next batch. The next
 * push first completes the file from the ledger. Only a batch whose response was lost stays open; it is reported, and sent again only on
 * request.
 *
 * Stops at the first batch that fails; earlier batches stay done.
 * @throws CallyardError `conflict` for an open batch, a concurrently changed file, or a response that leaves entries unmatched;
 * `partial` when some entries were done before the failure, or stored while the disk failed; `usage` when a file cannot be
 * written and nothing was sent; otherwise the failure itself.
 * @throws InvalidInput if an entry cannot store an id; nothing was sent then.
 */
export async function pushEntries(job: PushJob, tools: PushTools): Promise<PushResult> {
  const push: Push = {
    ...job,
    ...tools,
    ids: new Array(job.entries.length),
    unwritten: [],
    refused: [],
    knownIds: new Set(job.entries.flatMap(({ id }) => id ?? [])),
    inserted: 0,
    updated: 0,
    hasSent: false,
  }
  const earlierIds = await finishEarlierPush(push)
  const plan = planFile(job.entries, job.ledger, earlierIds)
  await assertIdSlots(job, plan.inserts)
  if (plan.inserts.length > 0) {
    await assertSize(job, plan.inserts)
    await push.spliced.assertWritable().catch(markNothingSent())
  }
  push.onPlan(plan)
  try {
    let doneCount = 0
    for (const batch of batches(plan.inserts, job.batchSize)) {
      await step(push, () => insertBatch(push, batch))
      doneCount += 1
      // At powers of two: all writings of a growing file together cost as much as two.
      if (Number.isInteger(Math.log2(doneCount))) await writeIds(push)
    }
    await writeIds(push)
    for (const batch of batches(plan.updates, job.batchSize)) await step(push, () => updateBatch(push, batch))
    if (push.refused.length > 0) throw entriesRefused(push)
  } catch (error) {
    // The next push writes what the file rejects now, because the ledger contains it.
    await writeIds(push).catch(() => {})
    if (!(error instanceof CallyardError)) throw error
    if (!push.hasSent && error.kind === 'usage') throw nothingSent(error)
    const total = plan.inserts.length + plan.updates.length
    const { inserted, updated } = push
    throw toPartialError(error, { inserted, updated, ids: newIds(push), done: inserted + updated, total })
  }
  const { inserted, updated } = push
  return { inserted, updated, unchanged: plan.unchanged.length, ids: () => newIds(push) }
}

function* batches(entries: readonly FileEntry[], size: number): Generator<FileEntry[]> {
  for (let start = 0; start < entries.length; start += size) yield entries.slice(start, start + size)
}

/** Returns what a push would do, without sending or writing anything. Throws like a push. */
export async function previewPush(job: PushJob): Promise<PushPlan> {
  const earlier = await readEarlierPush(job)
  const { open } = earlier
  if (open.length > 0 && !job.resendUnknown) throw openBatch(job, open)
  const plan = planFile(job.entries, job.ledger, placedIds(earlier), pushedEntries(earlier))
  await assertIdSlots(job, plan.inserts)
  if (plan.inserts.length > 0) await assertSize(job, plan.inserts)
  return plan
}

/** Error with the details needed to insert entries again that were deleted at the service. */
function entriesRefused(push: Push): CallyardError {
  const { refused, inProject, target, inserted, updated } = push
  const name = entryDescriber(push)
  const details = {
    ...createBatch(push),
    inProject,
    refused: refused.map(({ entry, id }) => ({ ...name(entry), id: entry.key ?? id })),
  }
  const rejected = details.refused.map(
    ({ file, line, question = '', id }) =>
      `\n  ${file}${line === undefined ? '' : `:${line}`}: ${question === '' ? '' : JSON.stringify(question)} (${id})`,
  )
  const cause = refused[0]?.error
  return new CallyardError(
    inserted + updated > 0 ? 'partial' : 'refused',
    `${cause?.message}; knowledge base ${target.knowledgeBaseId} rejected:${rejected.join('')}`,
    {
      code: 'entries-refused',
      hint: 'if they were deleted at the service, forget their ids, so that they are inserted again',
      ...{ details, cause },
    },
  )
}

async function step({ signal, assertAlone }: Push, work: () => Promise<void>): Promise<void> {
  if (signal.aborted) throw new CallyardError('cancelled', 'cancelled')
  await assertAlone()
  await work()
}

function newIds({ entries, ids }: Push): readonly NewId[] {
  return entries.flatMap(entry => {
    const id = ids[entry.index]
    return id === undefined ? [] : [{ question: entry.label, id }]
  })
}

/**
 * Ends what a push left that was killed or could not write: ids that are known go into the file. Returns them, by index of entry.
 * @throws CallyardError `conflict` when entries stay whose outcome at the service is unknown.
 */
async function finishEarlierPush(push: Push): Promise<ReadonlyMap<number, AssignedId>> {
  const { ledger } = push
  const recovery = await readEarlierPush(push)
  const { placed, open } = recovery
  const hadPending = ledger.pending.length > 0
  const ids = placedIds(recovery)
  if (!hadPending && placed.length === 0) return ids
  const writeDown = async () => {
    const keys: string[] = []
    for (const [index, { id, key }] of ids) {
      push.ids[index] = id
      keys[index] = key
    }
    await assign(push, [...ids.keys()], keys)
    await ledger.record(pushedEntries(recovery))
    if (hadPending) await ledger.keepOpen(push.resendUnknown ? [] : open.map(({ pending }) => pending))
  }
  await writeDown().catch(markNothingSent(hadPending ? ledger.storage.keptIn : undefined))
  if (open.length > 0 && !push.resendUnknown) throw openBatch(push, open)
  return ids
}

function openBatch(job: PushJob, open: Recovery['open']): CallyardError {
  const name = entryDescriber(job)
  const unknown = open.map(({ entry, pending }) => name(entry, pending))
  return batchOpen({ ...createBatch(job), unknown })
}

/** Reads the remains of an earlier push, relative to the current file. Changes nothing. */
async function readEarlierPush(job: PushJob): Promise<Recovery> {
  const { ledger, entries, batchIds } = job
  const ledgerRecovery = recover(ledger, entries)
  const recovery = batchIds === undefined ? ledgerRecovery : adoptBatchIds(job, ledgerRecovery, batchIds)
  const placed = recovery.placed.map(({ entry }) => entry)
  await assertIdSlots(job, placed)
  return recovery
}

function adoptBatchIds(
  { ledger, entries }: PushJob,
  recovery: Recovery,
  batchIds: readonly BatchId[],
): Recovery {
  const ids = new Set([...entries.map(({ id }) => id), ...recovery.placed.map(({ pushed }) => pushed.id)])
  return adoptBatch(recovery, batchIds, id => ids.has(id) || ledger.holds(id))
}

/** The ids that have to go into the file, by index of entry. */
export function placedIds({ placed }: Recovery): Map<number, AssignedId> {
  return new Map(placed.map(({ entry, pushed }) => [entry.index, pushed]))
}

/** Returns the entries that an earlier push is known to have stored. */
export function pushedEntries({ placed, settled }: Recovery): PushedEntry[] {
  return [...settled.flatMap(toPushed), ...placed.map(({ pushed }) => pushed)]
}

/** Converts a stored entry to its ledger form. */
function toPushed({ id, key, content }: PendingEntry): PushedEntry[] {
  return id === undefined ? [] : [{ key: key ?? id, id, hash: content }]
}

/** @throws InvalidInput when one of the entries has no place for the id that the service will give it. */
async function assertIdSlots({ source, spliced }: PushJob, entries: readonly FileEntry[]): Promise<void> {
  if (entries.every(({ key }) => key !== undefined)) return
  const findings = missingIdSlots(source, entries, await spliced.refusal())
  if (findings.length > 0) throw new InvalidInput(findings)
}

/** Assumed length of an id that the service assigns. */
const maxIdLength = 64
const bytesPerMb = 1024 ** 2

/** @throws CallyardError `usage` if the ids of this push would make the file too large to read again */
async function assertSize({ source, spliced }: PushJob, inserts: readonly FileEntry[]): Promise<void> {
  const growth = (await spliced.lengthWith(indexesOf(inserts), maxIdLength)) - source.text.length
  const bytes = Buffer.byteLength(source.text) + growth
  if (bytes <= maxOwnFileBytes) return
  const { file } = source
  const size = Math.ceil(bytes / bytesPerMb)
  const max = maxOwnFileBytes / bytesPerMb
  const message = `${file} would be about ${size} MB with the ids of its entries (limit: ${max} MB); nothing was sent`
  throw new CallyardError('usage', message, {
    ...{ code: 'too-large-with-ids', hint: 'split it into several files' },
    details: { file, size, max },
  })
}

/** Indexes of the entries that the file has no id for. */
function* indexesOf(entries: readonly FileEntry[]): Generator<number> {
  for (const { key, index } of entries) if (key === undefined) yield index
}

/** Completes a file that cannot be written before anything was sent. */
function markNothingSent(pendingFile?: string): (error: unknown) => never {
  return error => {
    throw error instanceof CallyardError && error.kind === 'usage' ? nothingSent(error, pendingFile) : error
  }
}

/** Batches that are done stay done: says so, and with which exit code. Counts go into the details. */
function toPartialError(
  error: CallyardError,
  { done, total, ...counts }: Readonly<Record<'done' | 'total', number>> & Readonly<Record<string, unknown>>,
): CallyardError {
  const { kind, message, code, hint } = error
  const details = { ...error.details, ...counts, done, notDone: total - done, total }
  if (kind === 'cancelled')
    return new CallyardError(kind, `${message}; ${done} of ${total} entries were pushed`, {
      ...{ code: 'push-cancelled', hint: 'run again to send the rest' },
      ...{ details, cause: error },
    })
  // The error for refused entries already lists them.
  if (done === 0 || kind === 'conflict' || code === 'entries-refused') return error.withDetails(details)
  return new CallyardError('partial', `${done} of ${total} entries were pushed, then: ${message}`, {
    code: 'push-in-part',
    hint: hint === undefined ? 'fix this, then run it again to send the rest' : undefined,
    ...{ details, cause: error },
  })
}
