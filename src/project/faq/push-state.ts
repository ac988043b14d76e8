import type { Api } from '../../api/index.ts'
import { CallwrightError } from '../../lib/error.ts'
import { InvalidInput } from '../../source/index.ts'
import { nothingSent } from '../errors.ts'
import type { BatchId } from './adopt-batch.ts'
import type { FaqEntry, FaqFile } from './entries.ts'
import type { PendingEntry, PushedEntry, PushLedger, Target } from './ledger.ts'
import type { AssignedId, PushPlan } from './plan.ts'
import { noPlaces } from './push-failures.ts'
import type { SplicedFile } from './splice.ts'

export interface PushJob {
  readonly file: FaqFile
  readonly target: Target
  readonly ledger: PushLedger
  readonly spliced: SplicedFile
  /** Most entries in one request. */
  readonly batchSize: number
  /** Sends entries again of which nobody knows whether the service has them. */
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
export function assertPlaces({ file, spliced }: PushJob, entries: readonly FaqEntry[]): void {
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
