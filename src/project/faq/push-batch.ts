import { CallwrightError } from '../../lib/error.ts'
import { hasKnownOutcome, type ProjectErrors, projectError } from '../errors.ts'
import { entriesAt, type FileEntry } from './entries.ts'
import { type PendingEntry, unknownContent } from './ledger.ts'
import { matchAnswer } from './match.ts'
import type { AssignedId } from './plan.ts'
import { assign, lines, naming, type Push, toPushed } from './push-state.ts'

/** One POST (interface.md 4.6): kept before it is sent, its ids kept before they are written into the file. */
export async function insertBatch(push: Push, batch: readonly FileEntry[]): Promise<void> {
  const { ledger, spliced, target, file } = push
  await spliced.assertUntouched()
  const pending = toPending(push, batch)
  await ledger.savePending(pending)
  await push.assertAlone().catch(async error => {
    await ledger.clearPending().catch(() => {})
    throw error
  })
  push.sent = true
  const answer = await push.api
    .insertFaq(
      target.knowledgeBaseId,
      batch.map(({ content }) => content),
    )
    .catch(async error => {
      if (!(error instanceof CallwrightError)) throw error
      if (!hasKnownOutcome(error)) {
        const unknown = batch.map(naming(push))
        throw projectError('conflict', 'answer-lost', { ...batchOf(push), unknown }, error)
      }
      // Why the batch was not taken matters more than that it is still kept: the next push then asks about it.
      await ledger.clearPending().catch(() => {})
      throw error
    })
  const questions = batch.map(({ question }) => question)
  const matched = matchAnswer(questions, answer, knownTo(push))
  const answered = pending.map((entry, place) => ({ ...entry, id: matched[place] }))
  await ledger.savePending(answered).catch(error => {
    const name = naming(push)
    const unknown = batch.map((entry, place) => ({ ...name(entry), id: matched[place] }))
    throw projectError('conflict', 'ids-not-kept', { file: file.source.file, unknown }, error)
  })
  const ids = batch.flatMap(({ index, key }, place): [number, AssignedId][] => {
    const id = matched[place]
    return id === undefined ? [] : [[index, { id, key: key ?? id }]]
  })
  push.inserted += ids.length
  await assign(push, new Map(ids)).catch(
    inPart('ids-not-written', { file: file.source.file, count: ids.length, keptIn: ledger.pendingFile }),
  )
  push.onProgress(push.inserted + push.updated)
  const open = batch.filter(({ index }) => !push.ids.has(index))
  const settle = async () => {
    await ledger.record(answered.flatMap(toPushed))
    if (open.length === 0) await ledger.clearPending()
  }
  if (open.length === 0)
    return settle().catch(inPart('insert-not-recorded', { file: file.source.file, count: ids.length }))
  // If the disk fails here, the whole batch stays kept, and the next push finds the same entries open.
  await settle()
    .then(() => ledger.savePending(toPending(push, open)))
    .catch(() => {})
  throw projectError('conflict', 'answer-unclear', { ...batchOf(push), unknown: open.map(naming(push)) })
}

/** One PUT (interface.md 4.7). */
export async function updateBatch(push: Push, batch: readonly FileEntry[]): Promise<void> {
  const entries = batch.flatMap(({ id, content }) => (id === undefined ? [] : [{ id, ...content }]))
  const pushed = batch.flatMap(({ id, key, hashes }) =>
    id === undefined ? [] : [{ key: key ?? id, id, hash: hashes.content }],
  )
  // Between here and the answer it is unknown what the service has: should the file be changed back, it is sent again.
  await push.ledger.record(pushed.map(each => ({ ...each, hash: unknownContent })))
  push.sent = true
  await push.api.updateFaq(push.target.knowledgeBaseId, entries)
  push.updated += batch.length
  push.onProgress(push.inserted + push.updated)
  await push.ledger.record(pushed).catch(inPart('update-not-recorded', { count: batch.length }))
}

/** A file that could not be written once the service has taken a batch is no wrong usage any more. */
function inPart<Code extends 'ids-not-written' | 'insert-not-recorded' | 'update-not-recorded'>(
  code: Code,
  details: ProjectErrors[Code],
): (error: unknown) => never {
  return error => {
    const isUsage = error instanceof CallwrightError && error.kind === 'usage'
    throw isUsage ? projectError('partial', code, details, error) : error
  }
}

function batchOf({ file, target }: Push): { readonly file: string; readonly knowledgeBaseId: string } {
  return { file: file.source.file, knowledgeBaseId: target.knowledgeBaseId }
}

function toPending({ spliced }: Push, batch: readonly FileEntry[]): PendingEntry[] {
  const lineOf = lines({ spliced })
  return batch.map(entry => ({ line: lineOf(entry), ...entry.hashes, key: entry.key }))
}

/** Whether an id belongs to an older entry: of the file, of this push, or of any earlier one. */
function knownTo({ file, ids, ledger }: Push): (id: string) => boolean {
  const known = new Set([
    ...entriesAt(file.entries, ledger).flatMap(({ id }) => id ?? []),
    ...[...ids.values()].map(({ id }) => id),
  ])
  return id => known.has(id) || ledger.holds(id)
}
