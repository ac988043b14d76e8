import { adoptBatch } from './adopt-batch.ts'
import { entriesAt } from './entries.ts'
import { isSame, type PushedEntry } from './ledger.ts'
import { namer } from './naming.ts'
import type { AssignedId } from './plan.ts'
import { openBatch, otherTarget } from './push-failures.ts'
import { assertPlaces, assign, type Push, type PushJob, sayNothingSent, toPushed } from './push-state.ts'
import { type Recovery, recover } from './recover.ts'

/**
 * Ends what a push left that was killed or could not write: ids that are known go into the file.
 * @throws CliError `conflict` when entries stay of which nobody knows whether the service has them.
 */
export async function finishEarlierPush(push: Push): Promise<void> {
  const { ledger, spliced, file, target } = push
  const recovery = readEarlierPush(push)
  const { placed, open } = recovery
  if (ledger.pending === undefined && placed.length === 0) return
  const writeDown = async () => {
    await assign(push, placedIds(recovery))
    await ledger.record(pushedEntries(recovery))
    if (ledger.pending === undefined) return
    if (open.length === 0 || push.resendUnknown) return ledger.clearPending()
    await ledger.savePending(open.map(({ pending }) => pending))
  }
  await writeDown().catch(sayNothingSent(ledger.pending === undefined ? undefined : ledger.pendingFile))
  if (open.length > 0 && !push.resendUnknown)
    throw openBatch(file.source, target, open.map(namer({ spliced })))
}

/** What is left of an earlier push, as the file stands now. Changes nothing. */
export function readEarlierPush(job: PushJob): Recovery {
  const { ledger, target, file } = job
  const { pending } = ledger
  if (pending !== undefined && !isSame(target, pending)) throw otherTarget(file.source, pending)
  const known = { pending: pending?.entries ?? [], recorded: ledger.recorded() }
  const entries = entriesAt(file.entries, ledger)
  const found = recover(known, entries)
  const ids = new Set([
    ...entries.flatMap(({ id }) => id ?? []),
    ...found.placed.map(({ pushed }) => pushed.id),
  ])
  const recovery =
    job.batchIds === undefined
      ? found
      : adoptBatch(found, job.batchIds, id => ids.has(id) || ledger.holds(id))
  assertPlaces(
    job,
    recovery.placed.map(({ entry }) => entry),
  )
  return recovery
}

/** The ids that have to go into the file, by index of entry. */
export function placedIds({ placed }: Pick<Recovery, 'placed'>): Map<number, AssignedId> {
  return new Map(placed.map(({ entry, pushed }) => [entry.index, pushed]))
}

/** What an earlier push is known to have stored. */
export function pushedEntries({ placed, settled }: Pick<Recovery, 'placed' | 'settled'>): PushedEntry[] {
  return [...settled.flatMap(toPushed), ...placed.map(({ pushed }) => pushed)]
}
