import type { Api } from '../../api/create-api.ts'
import { CliError } from '../../errors.ts'
import { isDefinite } from '../definite.ts'
import { type Entry, entriesAt, type FaqFile } from './entries.ts'
import {
  isSame,
  type Ledger,
  type PendingEntry,
  type PushedEntry,
  type Target,
  unknownContent,
} from './ledger.ts'
import { matchAnswer } from './match.ts'
import { lines, namer, naming } from './naming.ts'
import { nothingSent } from './nothing-sent.ts'
import { type PushPlan, planPush } from './plan.ts'
import {
  afterSomeBatches,
  idsNotKept,
  idsNotWritten,
  insertNotRecorded,
  lostAnswer,
  noPlaces,
  openBatch,
  otherTarget,
  shortAnswer,
  updateNotRecorded,
} from './push-failures.ts'
import { type Recovery, recover } from './recover.ts'
import type { SplicedFile } from './spliced-file.ts'

export interface PushJob {
  readonly file: FaqFile
  readonly target: Target
  readonly ledger: Ledger
  readonly spliced: SplicedFile
  /** Most entries in one request. */
  readonly batchSize: number
  /** Sends entries again of which nobody knows whether the service has them. */
  readonly resendUnknown: boolean
}

export interface PushTools {
  readonly api: Pick<Api, 'insertFaq' | 'updateFaq'>
  readonly signal: AbortSignal
  /** Called before each batch is kept, and again before it is sent. @throws CliError when this push is no longer the only one. */
  assertAlone(): Promise<void>
  onPlan(plan: PushPlan): void
  /** How many entries of the plan are done. */
  onProgress(done: number): void
}

export interface PushResult {
  readonly inserted: number
  readonly updated: number
  readonly unchanged: number
  /** The ids that are new in the file: of this push, and of one that ended before it could write them. */
  readonly ids: readonly { readonly question: string; readonly id: string }[]
}

/**
 * Inserts the entries without an id, updates those that changed since they were last pushed, in batches, and writes new
 * ids into the file after each batch (interface.md 4.6 and 4.7).
 *
 * No entry is inserted twice, wherever the process is killed: what a batch holds is on disk before its POST, its ids are
 * on disk before the file is written, and the next push begins with what is left of that. Only a batch whose answer was
 * lost stays open; it is named, and sent again only when that is asked for.
 *
 * Stops at the first batch that fails; batches before it stay done.
 * @throws CliError `conflict` for an open batch, a file that changed meanwhile, or an answer that leaves entries open;
 * `partial` when some entries were done before the failure, or stored while the disk failed; `usage` when a file cannot be
 * written and nothing was sent; otherwise the failure itself.
 * @throws InvalidInput when an entry cannot take an id; nothing was sent then.
 */
export async function pushEntries(job: PushJob, tools: PushTools): Promise<PushResult> {
  const push: Push = { ...job, ...tools, ids: new Map(), inserted: 0, updated: 0, sent: false }
  await finishEarlierPush(push)
  const plan = planFile(job, push.ids)
  assertPlaces(job, plan.inserts.flat())
  if (plan.inserts.length > 0) await push.spliced.assertWritable().catch(sayNothingSent())
  push.onPlan(plan)
  try {
    for (const batch of plan.inserts) await step(push, () => insertBatch(push, batch))
    for (const batch of plan.updates) await step(push, () => updateBatch(push, batch))
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    if (!push.sent && error.kind === 'usage') throw nothingSent(error)
    const total = [...plan.inserts, ...plan.updates].flat().length
    throw afterSomeBatches(error, { ...summary(push), done: push.inserted + push.updated, total })
  }
  return { ...summary(push), unchanged: plan.unchanged.length }
}

/** What a push would do, with nothing sent and nothing written. Throws as the push would. */
export function previewPush(job: PushJob): PushPlan {
  const { placed, settled, open } = readEarlierPush(job)
  if (open.length > 0 && !job.resendUnknown)
    throw openBatch(job.file.source, job.target, open.map(namer(job)))
  const plan = planFile(
    job,
    new Map(placed.map(({ entry, id }) => [entry.index, id])),
    pushedEntries({ placed, settled }),
  )
  assertPlaces(job, plan.inserts.flat())
  return plan
}

interface Push extends PushJob, PushTools {
  /** Ids that are new in the file, by index of entry. */
  readonly ids: Map<number, string>
  inserted: number
  updated: number
  /** Whether a request may have reached the service. */
  sent: boolean
}

async function finishEarlierPush(push: Push): Promise<void> {
  const { ledger, spliced, file, target } = push
  if (ledger.pending === undefined) return
  const { placed, settled, open } = readEarlierPush(push)
  const writeDown = async () => {
    await assign(push, new Map(placed.map(({ entry, id }) => [entry.index, id])))
    await ledger.record(pushedEntries({ placed, settled }))
    if (open.length === 0 || push.resendUnknown) return ledger.clearPending()
    await ledger.savePending(open.map(({ pending }) => pending))
  }
  await writeDown().catch(sayNothingSent(ledger.pendingFile))
  if (open.length > 0 && !push.resendUnknown)
    throw openBatch(file.source, target, open.map(namer({ spliced })))
}

function sayNothingSent(pendingFile?: string): (error: unknown) => never {
  return error => {
    throw error instanceof CliError && error.kind === 'usage' ? nothingSent(error, pendingFile) : error
  }
}

function readEarlierPush(job: PushJob): Recovery {
  const { ledger, target, file } = job
  if (ledger.pending === undefined) return { placed: [], settled: [], open: [] }
  if (!isSame(target, ledger.pending)) throw otherTarget(file.source, ledger.pending)
  const recovery = recover(ledger.pending, entriesAt(file.entries, ledger))
  assertPlaces(
    job,
    recovery.placed.map(({ entry }) => entry),
  )
  return recovery
}

function planFile(
  { file, batchSize, ledger }: PushJob,
  ids: ReadonlyMap<number, string>,
  recorded: readonly PushedEntry[] = [],
): PushPlan {
  const hashes = new Map(recorded.map(({ key, hash }) => [key, hash]))
  const entries = entriesAt(file.entries, ledger).map(entry => ({
    ...entry,
    id: ids.get(entry.index) ?? entry.id,
  }))
  return planPush(entries, { batchSize, pushed: key => hashes.get(key) ?? ledger.pushed(key) })
}

async function step({ signal, assertAlone }: Push, work: () => Promise<void>): Promise<void> {
  if (signal.aborted) throw new CliError('cancelled', 'cancelled between two batches')
  await assertAlone()
  await work()
}

async function insertBatch(push: Push, batch: readonly Entry[]): Promise<void> {
  const { ledger, spliced, target, file } = push
  await spliced.assertUntouched()
  const pending = toPending(push, batch)
  await ledger.savePending(pending)
  await push.assertAlone()
  push.sent = true
  const answer = await push.api
    .insertFaq(
      target.knowledgeBaseId,
      batch.map(({ content }) => content),
    )
    .catch(async error => {
      if (!(error instanceof CliError)) throw error
      if (!isDefinite(error)) throw lostAnswer(file.source, target, batch.map(naming(push)), error)
      // Why the batch was not taken matters more than that it is still kept: the next push then asks about it.
      await ledger.clearPending().catch(() => {})
      throw error
    })
  const questions = batch.map(({ question }) => question)
  const matched = matchAnswer(questions, answer, knownTo(push))
  const answered = pending.map((entry, place) => ({ ...entry, id: matched[place] }))
  await ledger.savePending(answered).catch(error => {
    const name = naming(push)
    throw idsNotKept(
      file.source,
      batch.map((entry, place) => ({ ...name(entry), id: matched[place] })),
      error,
    )
  })
  const ids = batch.flatMap(({ index }, place): [number, string][] => {
    const id = matched[place]
    return id === undefined ? [] : [[index, id]]
  })
  push.inserted += ids.length
  await assign(push, new Map(ids)).catch(
    inPart(cause => idsNotWritten(file.source, ids.length, { keptIn: ledger.pendingFile, cause })),
  )
  push.onProgress(push.inserted + push.updated)
  const open = batch.filter(({ index }) => !push.ids.has(index))
  const settle = async () => {
    await ledger.record(answered.flatMap(toPushed))
    if (open.length === 0) await ledger.clearPending()
  }
  if (open.length === 0)
    return settle().catch(inPart(cause => insertNotRecorded(file.source, ids.length, cause)))
  // If the disk fails here, the whole batch stays kept, and the next push finds the same entries open.
  await settle()
    .then(() => ledger.savePending(toPending(push, open)))
    .catch(() => {})
  throw shortAnswer(file.source, open.map(naming(push)))
}

async function updateBatch(push: Push, batch: readonly Entry[]): Promise<void> {
  const entries = batch.flatMap(({ id, content }) => (id === undefined ? [] : [{ id, ...content }]))
  const pushed = batch.flatMap(({ id, key, hashes }) =>
    id === undefined ? [] : [{ key: key ?? id, id, hash: hashes.content }],
  )
  // Between here and the answer nobody knows what the service has: should the file be changed back, it is sent again.
  await push.ledger.record(pushed.map(each => ({ ...each, hash: unknownContent })))
  push.sent = true
  await push.api.updateFaq(push.target.knowledgeBaseId, entries)
  push.updated += batch.length
  push.onProgress(push.inserted + push.updated)
  await push.ledger.record(pushed).catch(inPart(cause => updateNotRecorded(batch.length, cause)))
}

/** A file that could not be written once the service has taken a batch is no wrong usage any more. */
function inPart(failure: (cause: CliError) => CliError): (error: unknown) => never {
  return error => {
    throw error instanceof CliError && error.kind === 'usage' ? failure(error) : error
  }
}

/** Entries that have an id of another target keep it in the file; the ledger knows them by it. */
async function assign({ spliced, ids, file }: Push, assigned: ReadonlyMap<number, string>): Promise<void> {
  for (const [index, id] of assigned) ids.set(index, id)
  await spliced.assign(new Map([...assigned].filter(([index]) => file.entries[index]?.key === undefined)))
}

function toPending({ spliced }: Push, batch: readonly Entry[]): PendingEntry[] {
  const lineOf = lines({ spliced })
  return batch.map(entry => ({ line: lineOf(entry), ...entry.hashes, key: entry.key }))
}

function toPushed({ id, key, content }: PendingEntry): PushedEntry[] {
  return id === undefined ? [] : [{ key: key ?? id, id, hash: content }]
}

/** What an earlier push is known to have stored. */
function pushedEntries({ placed, settled }: Pick<Recovery, 'placed' | 'settled'>): PushedEntry[] {
  return [...settled, ...placed.map(({ pending }) => pending)].flatMap(toPushed)
}

/** Whether an id belongs to an older entry: of the file, of this push, or of any earlier one. */
function knownTo({ file, ids, ledger }: Push): (id: string) => boolean {
  const known = new Set([...entriesAt(file.entries, ledger).flatMap(({ id }) => id ?? []), ...ids.values()])
  return id => known.has(id) || ledger.holds(id)
}

function assertPlaces({ file, spliced }: PushJob, entries: readonly Entry[]): void {
  const refused = entries.flatMap(entry => {
    if (entry.key !== undefined) return []
    const reason = spliced.refusal(entry.index)
    return reason === undefined ? [] : [{ entry, reason }]
  })
  if (refused.length > 0) throw noPlaces(file.source, refused)
}

function summary({ file, ids, inserted, updated }: Push): Omit<PushResult, 'unchanged'> {
  const assigned = [...ids].map(([index, id]) => ({ question: file.entries[index]?.label ?? '', id }))
  return { inserted, updated, ids: assigned }
}
