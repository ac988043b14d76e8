import { CallyardError } from '../../lib/error.ts'
import { escapeRegExp } from '../../lib/text/escape.ts'
import { isNotFound } from '../../service/api/index.ts'
import { unknownContent } from '../lockfile/entries/index.ts'
import type { FileEntry } from './entries.ts'
import { asPartialFailure, type Push } from './push-batch.ts'

/** Update of an entry; `id` is its id at the target. */
interface Update {
  readonly entry: FileEntry
  readonly id: string
}

/**
 * Sends a batch of changed entries (interface.md 4.7). Entries that the service rejects, such as deleted ones, go to `push.refused`,
 * and the rest is sent again without them, because a PUT may be repeated.
 */
export async function updateBatch(push: Push, batch: readonly FileEntry[]): Promise<void> {
  const updates = batch.flatMap(entry => (entry.id === undefined ? [] : [{ entry, id: entry.id }]))
  const pushed = (sentUpdates: readonly Update[]) =>
    sentUpdates.map(({ entry, id }) => ({ key: entry.key ?? id, id, hash: entry.hashes.content }))
  // Until the response arrives, the content at the service is unknown. Recording that makes the next push send the entry again.
  await push.ledger.record(pushed(updates).map(entry => ({ ...entry, hash: unknownContent })))
  push.hasSent = true
  const { acceptedUpdates, refused } = await sendTaken(updates, part => put(push, part))
  for (const { update, error } of refused) push.refused.push({ ...update, error })
  push.updated += acceptedUpdates.length
  push.onProgress(push.inserted + push.updated)
  const count = acceptedUpdates.length
  const text =
    count === 1
      ? '1 entry was updated, but that could not be recorded: the next run updates it again'
      : `${count} entries were updated, but that could not be recorded: the next run updates them again`
  await push.ledger
    .record(pushed(acceptedUpdates))
    .catch(asPartialFailure('update-not-recorded', text, { count }))
}

async function put(push: Push, updates: readonly Update[]): Promise<void> {
  await push.assertAlone()
  const entries = updates.map(({ entry: { content }, id }) => ({ id, ...content }))
  await push.api.updateFaq(push.target.knowledgeBaseId, entries)
}

/** After this many failures without a success, single entries are not the cause. */
const maxFailures = 10

/**
 * Sends as many updates as the service accepts. Drops the entries that a rejection names; a "not found" that names none is bisected.
 * Pure except for `send`.
 * @throws CallyardError the service's error if no entry can be blamed
 */
export async function sendTaken(
  updates: readonly Update[],
  send: (updates: readonly Update[]) => Promise<void>,
) {
  const acceptedUpdates: Update[] = []
  const refused: { readonly update: Update; readonly error: CallyardError }[] = []
  let failures = 0
  async function sendAll(part: readonly Update[]): Promise<void> {
    if (part.length === 0) return
    try {
      await send(part)
      acceptedUpdates.push(...part)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const named = part.filter(({ id }) => isNamed(id, error.details.serviceMessage))
      if (named.length > 0) {
        refused.push(...named.map(update => ({ update, error })))
        return sendAll(part.filter(update => !named.includes(update)))
      }
      failures += 1
      if (!isNotFound(error) || (acceptedUpdates.length === 0 && failures > maxFailures)) throw error
      if (part.length === 1) {
        refused.push(...part.map(update => ({ update, error })))
        return
      }
      const half = Math.ceil(part.length / 2)
      await sendAll(part.slice(0, half))
      await sendAll(part.slice(half))
    }
  }
  await sendAll(updates)
  // A knowledge base that does not exist rejects each of its entries.
  const unnamed = refused.find(({ update, error }) => !isNamed(update.id, error.details.serviceMessage))
  if (acceptedUpdates.length === 0 && unnamed !== undefined) throw unnamed.error
  return { acceptedUpdates, refused }
}

function isRefusal(error: unknown): error is CallyardError {
  return error instanceof CallyardError && error.kind === 'refused' && error.details.status !== 429
}

/** True if a message has the id as a separate word. A number must be quoted, because it may be a count. */
function isNamed(id: string, message: unknown): boolean {
  if (typeof message !== 'string') return false
  // A truncated message may end inside a longer id.
  const whole = message.endsWith('…') ? message.replace(/\S*$/, '') : message
  const word = escapeRegExp(id)
  const pattern = /^\d+$/.test(id) ? `["'\`]${word}["'\`]` : `(?<![\\w-])${word}(?![\\w-])`
  return new RegExp(pattern).test(whole)
}
