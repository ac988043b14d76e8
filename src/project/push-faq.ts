import { realpath } from 'node:fs/promises'
import { parseBaseUrl } from '../api/index.ts'
import type { CheckedFile } from '../source/index.ts'
import { openPush } from './apply/push-knowledge-base.ts'
import type { CheckedResource } from './check-resource.ts'
import type { PushPlan } from './faq/entries.ts'
import { readEntries } from './faq/entries.ts'
import {
  type FileLedger,
  ledgerPaths,
  lockPush,
  makeLedgerFolder,
  openLedger,
  removeLeftovers,
} from './faq/file-ledger.ts'
import type { PushJob, PushTools } from './faq/push-batch.ts'
import { type PushResult, previewPush, pushEntries } from './faq/push-entries.ts'
import type { BatchId } from './faq/recover.ts'
import { openSplicedFile } from './faq/splice.ts'
import type { ResourceInProject } from './load/find-resources.ts'
import {
  lockTarget,
  type OpenTarget,
  openTarget,
  type ProjectDeps,
  type TargetOptions,
  withTarget,
} from './open-target.ts'
import { hashedBody, shownBody } from './plan/plan-knowledge-base.ts'
import { snapshotOf } from './snapshot.ts'

/** How a push is to be made; the same for a file alone and for a file of a project. */
export interface PushOptions extends Pick<TargetOptions, 'target'> {
  readonly knowledgeBaseId: string
  /** Entries in one request. */
  readonly batchSize: number
  /** Send entries again whose answer was lost. */
  readonly resendUnknown: boolean
  /** Ids of entries whose answer was lost. */
  readonly batchIds?: readonly BatchId[] | undefined
  /** What the file is in a project; undefined for a file of its own. */
  readonly inProject: ResourceInProject | undefined
}

/**
 * Pushes the entries of a knowledge-base file. In a project it takes the lock and the lockfile that apply uses; else lock
 * and ledger stand in `.callwright/` beside the file.
 * @throws as pushEntries; CallwrightError `conflict` when another push or apply is at work
 */
export async function pushFaqFile(
  resource: CheckedResource,
  options: PushOptions,
  deps: ProjectDeps,
  events: Pick<PushTools, 'onPlan' | 'onProgress'>,
): Promise<PushResult> {
  const { inProject } = options
  const opened =
    inProject === undefined
      ? await lockLonePush(resource.checked, options, deps)
      : await lockProjectPush(inProject, resource, options, deps)
  const { job, lock } = opened
  return withTarget(opened, async () => {
    // Another run may have ended, and written ids, between the reading and the lock.
    await job.spliced.assertUntouched()
    const { onPlan, onProgress } = events
    // A batch under way is ended: without its answer it is unknown whether the service has it.
    const api = deps.api({ batch: true })
    const tools = { api, signal: deps.signal, assertAlone: lock.assertHeld, onPlan, onProgress }
    return pushEntries(job, tools)
  })
}

/** What a push would do. Takes no lock, needs no service, writes nothing. */
export async function previewFaq(
  resource: CheckedResource,
  options: PushOptions,
  deps: ProjectDeps,
): Promise<PushPlan> {
  const { inProject } = options
  if (inProject !== undefined) {
    const target = await openTarget(inProject.folder, options, deps)
    return previewPush(await projectJob(inProject, resource, options, target))
  }
  const path = await realpath(resource.checked.source.path)
  return previewPush(await loneJob(resource.checked, options, path, deps))
}

async function lockLonePush(checked: CheckedFile, options: PushOptions, deps: ProjectDeps) {
  const path = await realpath(checked.source.path)
  await makeLedgerFolder(path)
  const lock = await lockPush(ledgerPaths(path).lock, checked.source.file, deps.clock)
  try {
    await removeLeftovers(path)
    const job = await loneJob(checked, options, path, deps)
    return { job, lock, close: () => job.ledger.close().finally(lock.release) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function loneJob(
  { source, body }: CheckedFile,
  { knowledgeBaseId, batchSize, resendUnknown, batchIds }: PushOptions,
  path: string,
  deps: ProjectDeps,
): Promise<PushJob & { readonly ledger: FileLedger }> {
  const { value } = (await deps.settings()).baseUrl
  const target = { knowledgeBaseId, baseUrl: value === undefined ? '' : parseBaseUrl(value).href }
  const ledger = await openLedger(path, target, deps)
  const spliced = openSplicedFile(path, source, deps)
  return { file: readEntries(source, body), target, ledger, spliced, batchSize, resendUnknown, batchIds }
}

async function lockProjectPush(
  file: ResourceInProject,
  resource: CheckedResource,
  options: PushOptions,
  deps: ProjectDeps,
) {
  const locked = await lockTarget(file.folder, options, deps)
  try {
    const { lock, close } = locked
    return { job: await projectJob(file, resource, options, locked), lock, close }
  } catch (error) {
    await locked.close().catch(() => {})
    throw error
  }
}

async function projectJob(
  { address }: ResourceInProject,
  { checked, fingerprintOf: fingerprintsBy }: CheckedResource,
  { batchSize, resendUnknown, batchIds }: PushOptions,
  { target, store, state }: OpenTarget,
): Promise<PushJob> {
  const { hash, isElsewhere } = state()
  const fingerprintOf = fingerprintsBy(hash)
  const sent = {
    body: checked.body,
    forms: { hashed: hashedBody(checked, hash, fingerprintOf), shown: shownBody(checked) },
    snapshot: snapshotOf(checked, { hash, idOf: fingerprintOf }),
  }
  const at = { store, baseUrl: target.baseUrl ?? '', isElsewhere }
  return openPush({ address, checked }, sent, at, { batchSize, resendUnknown, batchIds })
}
