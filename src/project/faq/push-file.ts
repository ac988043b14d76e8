import { realpath } from 'node:fs/promises'
import type { CheckedFile } from '../../files/source/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { CallyardError } from '../../lib/error.ts'
import type { FileLock } from '../../lib/fs/file-lock.ts'
import { didYouMean, findByBeginning, meantHint } from '../../lib/text/did-you-mean.ts'
import { type Api, parseBaseUrl } from '../../service/api/index.ts'
import { ambiguousEntry, withTarget } from '../lockfile/index.ts'
import { entriesAt, type FileEntry, type PushPlan, readEntries } from './entries.ts'
import { lockFilePush, openLedger } from './file-ledger.ts'
import type { BatchOptions, PushEvents, PushJob } from './push-batch.ts'
import { type PushResult, previewPush, pushEntries } from './push-entries.ts'
import { openSplicedFile } from './spliced-file.ts'

/** Options of a push, for a standalone file and for a file of a project. */
export interface FilePushOptions extends BatchOptions {
  readonly knowledgeBaseId: string
  /** Ids in the file, or unique prefixes of them, of entries to insert again because they were deleted at the service. */
  readonly forget?: readonly string[] | undefined
}

export interface PushDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  settings(): Promise<{ readonly baseUrl: { readonly value: string | undefined } }>
  api(options: { readonly batch: boolean }): Api
}

/**
 * Pushes the entries of a knowledge-base file that belongs to no project. Lock and ledger are in `.callyard/` beside the file.
 * @throws as pushEntries; CallyardError `conflict` when another push is at work
 */
export async function pushFile(
  checked: CheckedFile,
  options: FilePushOptions,
  deps: PushDeps,
  events: PushEvents,
): Promise<PushResult> {
  const path = await realpath(checked.source.path)
  const lock = await lockFilePush(path, checked.source.file, deps.clock)
  return withTarget({ close: lock.release }, async () => {
    const { job, close } = await openFile(checked, options, path, deps, lock)
    return withTarget({ close }, () => runPush(job, lock, deps, events))
  })
}

/** Returns what pushFile would do. Takes no lock, needs no service, writes nothing. */
export async function previewFile(
  checked: CheckedFile,
  options: FilePushOptions,
  deps: PushDeps,
): Promise<PushPlan> {
  const path = await realpath(checked.source.path)
  return previewPush((await openFile(checked, options, path, deps)).job)
}

/** Sends the entries of a job under its lock. @throws as pushEntries */
export async function runPush(
  job: PushJob,
  { assertHeld }: FileLock,
  { api, signal }: PushDeps,
  events: PushEvents,
): Promise<PushResult> {
  // Another run may have ended, and written ids, between the reading and the lock.
  await job.spliced.assertUntouched()
  // A batch under way is ended: without its response it is unknown whether the service has it.
  return pushEntries(job, { api: api({ batch: true }), signal, assertAlone: assertHeld, ...events })
}

/** Without a lock, forgotten entries are not recorded. */
async function openFile(
  { own, source, body }: CheckedFile,
  { knowledgeBaseId, batchSize, resendUnknown, batchIds, forget }: FilePushOptions,
  path: string,
  deps: PushDeps,
  lock?: FileLock,
): Promise<{ readonly job: PushJob; close(): Promise<void> }> {
  const { value } = (await deps.settings()).baseUrl
  const target = { knowledgeBaseId, baseUrl: value === undefined ? '' : parseBaseUrl(value).href }
  const { ledger, close } = await openLedger(path, target, { lock, isPreview: lock === undefined })
  const fileEntries = readEntries(source, body)
  const forgottenIds = new Set(forgottenKeys(fileEntries, forget, source.file))
  await ledger.forget([...forgottenIds], { isKept: lock !== undefined })
  const isForgotten = ({ key }: FileEntry) => key !== undefined && forgottenIds.has(key)
  const entries = entriesAt(fileEntries, ledger)
  // No other target uses the ids of this file, so new ids replace those of deleted entries.
  const replaced = new Set<number>()
  for (const entry of fileEntries.filter(isForgotten)) {
    replaced.add(entry.index)
    entries[entry.index] = entry.at({ key: undefined, id: undefined })
  }
  const spliced = openSplicedFile(path, source, replaced)
  const options = { batchSize, resendUnknown, batchIds }
  const job = { file: own.file, source, entries, target, ledger, spliced, inProject: undefined, ...options }
  return { job, close }
}

/** @throws CallyardError `usage` for an id that is not in the file */
export function forgottenKeys(
  entries: readonly FileEntry[],
  forget: readonly string[] = [],
  file: string,
): string[] {
  if (forget.length === 0) return []
  const keys = entries.flatMap(({ key }) => key ?? [])
  return forget.map(text => {
    const match = findByBeginning(text, keys, key => key)
    if (match.kind === 'found') return match.item
    if (match.kind === 'ambiguous') throw ambiguousEntry(text, match.candidates)
    const near = didYouMean(text, keys)
    throw new CallyardError('usage', `no entry of ${file} has the id ${text}; nothing was sent`, {
      ...{ code: 'forget-no-entry', hint: meantHint(near) },
      details: { file, id: text, near },
    })
  })
}
