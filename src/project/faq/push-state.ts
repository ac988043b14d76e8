import type { Api } from '../../api/index.ts'
import { CallwrightError } from '../../lib/error.ts'
import { type Diagnostic, InvalidInput, type Source } from '../../source/index.ts'
import type { Address } from '../address.ts'
import { nothingSent, projectError, type UnknownEntry } from '../errors.ts'
import type { FaqFile, FileEntry } from './entries.ts'
import type { PendingEntry, PushedEntry, PushLedger, Target } from './ledger.ts'
import type { AssignedId, PushPlan } from './plan.ts'
import type { BatchId, OpenEntry } from './recover.ts'
import type { SplicedFile } from './splice.ts'

export interface PushJob {
  readonly file: FaqFile
  readonly target: Target
  readonly ledger: PushLedger
  readonly spliced: SplicedFile
  /** Most entries in one request. */
  readonly batchSize: number
  /** Sends entries again whose outcome at the service is unknown. */
  readonly resendUnknown: boolean
  /** The ids of entries of which it was unknown whether the service has them. */
  readonly batchIds?: readonly BatchId[] | undefined
}

export interface PushTools {
  readonly api: Pick<Api, 'insertFaq' | 'updateFaq'>
  readonly signal: AbortSignal
  /** Called before each batch is kept, and again before it is sent. @throws CallwrightError when this push is no longer the only one. */
  assertAlone(): Promise<void>
  onPlan(plan: PushPlan): void
  /** How many entries of the plan are done. */
  onProgress(done: number): void
}

/** A push under way. */
export interface Push extends PushJob, PushTools {
  /** Ids that are new in the file, by index of entry. */
  readonly ids: Map<number, AssignedId>
  inserted: number
  updated: number
  /** Whether a request may have reached the service. */
  sent: boolean
}

/** Entries that have an id of another target keep it in the file; the ledger knows them by it. */
export async function assign(
  { spliced, ids, file }: Push,
  assigned: ReadonlyMap<number, AssignedId>,
): Promise<void> {
  for (const [index, each] of assigned) ids.set(index, each)
  const bare = [...assigned].filter(([index]) => file.entries[index]?.key === undefined)
  await spliced.assign(new Map(bare.map(([index, { key }]) => [index, key])))
}

/** What a ledger keeps of a stored entry. */
export function toPushed({ id, key, content }: PendingEntry): PushedEntry[] {
  return id === undefined ? [] : [{ key: key ?? id, id, hash: content }]
}

/** @throws InvalidInput when one of the entries has no place for the id that the service will give it. */
export function assertPlaces({ file, spliced }: PushJob, entries: readonly FileEntry[]): void {
  const refused = entries.flatMap(entry => {
    if (entry.key !== undefined) return []
    const reason = spliced.refusal(entry.index)
    return reason === undefined ? [] : [{ entry, reason }]
  })
  if (refused.length > 0) throw new InvalidInput(noPlaces(file.source, refused))
}

/** Completes a file that cannot be written before anything was sent. */
export function sayNothingSent(pendingFile?: string): (error: unknown) => never {
  return error => {
    throw error instanceof CallwrightError && error.kind === 'usage' ? nothingSent(error, pendingFile) : error
  }
}

/** Entries whose place in the file cannot take an id, each with the reason. Found before anything is sent. */
export function noPlaces(
  { file }: Source,
  refused: readonly { entry: Pick<FileEntry, 'index' | 'position'>; reason: string }[],
): Diagnostic[] {
  return refused.map(({ entry: { index, position }, reason }) => ({
    code: 'no-place-for-id',
    severity: 'error',
    path: ['faq', index],
    at: 'value',
    message: `faq[${index}] cannot take the id that the service will assign: ${reason}`,
    hint: 'write the entry out as a mapping of its own',
    file,
    position,
  }))
}

interface Done {
  readonly done: number
  readonly total: number
}

/** Batches that are done stay done: says so, and with which exit code. Counts go into the details. */
export function afterSomeBatches(
  error: CallwrightError,
  { done, total, ...counts }: Done & Readonly<Record<string, unknown>>,
): CallwrightError {
  const { kind } = error
  const details = { ...error.details, ...counts, done, notDone: total - done, total }
  if (kind === 'cancelled') return projectError(kind, 'push-cancelled', details, error)
  if (done === 0 || kind === 'conflict') return error.withDetails(details)
  return projectError('partial', 'push-in-part', details, error)
}

/** The same where the push is a part of an apply, which has another way of sending open entries again. */
export function asPartOfApply(
  error: unknown,
  applied: { readonly address: Address; readonly target: string },
): unknown {
  const isOpen =
    error instanceof CallwrightError &&
    (error.code === 'answer-lost' || error.code === 'answer-unclear' || error.code === 'batch-open')
  return isOpen ? error.withDetails({ applied }) : error
}

interface Lines {
  readonly spliced: Pick<SplicedFile, 'addedLines'>
}

/** Where an entry stands in the file as it is now, with the ids that were written above it. */
export function lines({ spliced }: Lines): (entry: FileEntry) => number | undefined {
  const added = spliced.addedLines()
  return ({ index, position }) => (position === undefined ? undefined : position.line + added(index))
}

/** How an entry is named to a person. */
export function naming(
  where: Lines & { readonly file: { readonly source: Source } },
): (entry: FileEntry) => UnknownEntry {
  const lineOf = lines(where)
  const { file } = where.file.source
  return entry => ({ file, line: lineOf(entry), question: entry.label })
}

/** How an entry of an unfinished batch is named; it may have left the file since. */
export function namer(where: Parameters<typeof naming>[0]): (open: OpenEntry) => UnknownEntry {
  const name = naming(where)
  const { file } = where.file.source
  return ({ entry, pending: { line, id } }) =>
    entry === undefined ? { file, line, question: undefined, id } : { ...name(entry), id }
}
