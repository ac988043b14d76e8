import { realpath } from 'node:fs/promises'
import { parseBaseUrl } from '../../api/index.ts'
import type { Context } from '../../cli/context.ts'
import type { Machine } from '../../lib/fs/durable-write.ts'
import { requireConnection } from '../../profile/index.ts'
import type { BatchId } from '../../project/faq/adopt-batch.ts'
import { readEntries } from '../../project/faq/entries.ts'
import {
  ledgerPaths,
  lockPush,
  makeLedgerFolder,
  openLedger,
  removeLeftovers,
} from '../../project/faq/ledger.ts'
import type { PushJob } from '../../project/faq/push-state.ts'
import { openSplicedFile } from '../../project/faq/splice.ts'
import type { CheckedFile } from '../../source/index.ts'

/** How a push is to be made; the same for a file alone and for a file of a project. */
export interface PushSettings {
  readonly knowledgeBaseId: string
  readonly batchSize: number
  readonly resendUnknown: boolean
  readonly batchIds?: readonly BatchId[] | undefined
}

/** A push that nobody else makes meanwhile. */
export interface OpenPush {
  readonly job: PushJob
  /** @throws CallwrightError `conflict` when another push has taken over. */
  assertAlone(): Promise<void>
  release(): Promise<void>
}

/** Opens the push of a file that belongs to no project: its ledger and its lock stand in `.callwright/` beside it. */
export async function openLonePush(
  checked: CheckedFile,
  settings: PushSettings,
  context: Context,
): Promise<OpenPush> {
  const path = await realpath(checked.source.path)
  const baseUrl = parseBaseUrl(requireConnection(await context.settings()).baseUrl).href
  await makeLedgerFolder(path)
  const lock = await lockPush(ledgerPaths(path).lock, checked.source.file, context.clock)
  try {
    await removeLeftovers(path)
    const job = await loneJob(checked, settings, { path, baseUrl }, context)
    // Another push may have ended, and written ids, between the reading and the lock.
    await job.spliced.assertUntouched()
    return { job, assertAlone: lock.assertHeld, release: lock.release }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The same only to look at: takes no lock, needs no service. */
export async function previewLonePush(
  checked: CheckedFile,
  settings: PushSettings,
  context: Context,
): Promise<PushJob> {
  const baseUrl = (await context.settings()).baseUrl.value
  const place = {
    path: await realpath(checked.source.path),
    baseUrl: baseUrl === undefined ? '' : parseBaseUrl(baseUrl).href,
  }
  return loneJob(checked, settings, place, context)
}

async function loneJob(
  { source, body }: CheckedFile,
  { knowledgeBaseId, ...settings }: PushSettings,
  { path, baseUrl }: { readonly path: string; readonly baseUrl: string },
  machine: Machine,
): Promise<PushJob> {
  const target = { knowledgeBaseId, baseUrl }
  const ledger = await openLedger(path, target, machine)
  const spliced = await openSplicedFile(path, source, machine)
  return { file: readEntries(source, body), target, ledger, spliced, ...settings }
}
