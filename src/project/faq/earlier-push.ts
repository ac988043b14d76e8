import { entriesAt } from './entries.ts'
import { isSame, type PushedEntry } from './ledger.ts'
import { namer } from './naming.ts'
import { openBatch, otherTarget } from './push-failures.ts'
import { assertPlaces, assign, type Push, type PushJob, sayNothingSent, toPushed } from './push-state.ts'
import { type Recovery, recoverPending } from './recover.ts'

/**
 * Ends what a push left that was killed or could not write: ids that are known go into the file.
 * @throws CliError `conflict` when entries stay of which nobody knows whether the service has them.
 */
export async function finishEarlierPush(push: Push): Promise<void> {
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

/** What is left of an earlier push, as the file stands now. Changes nothing. */
export function readEarlierPush(job: PushJob): Recovery {
  const { ledger, target, file } = job
  if (ledger.pending === undefined) return { placed: [], settled: [], open: [] }
  if (!isSame(target, ledger.pending)) throw otherTarget(file.source, ledger.pending)
  const recovery = recoverPending(ledger.pending.entries, entriesAt(file.entries, ledger))
  assertPlaces(
    job,
    recovery.placed.map(({ entry }) => entry),
  )
  return recovery
}

/** What an earlier push is known to have stored. */
export function pushedEntries({ placed, settled }: Pick<Recovery, 'placed' | 'settled'>): PushedEntry[] {
  return [...settled, ...placed.map(({ pending }) => pending)].flatMap(toPushed)
}
