import { realpath } from 'node:fs/promises'
import { parseBaseUrl } from '../api/index.ts'
import { CallwrightError } from '../lib/error.ts'
import type { FileLock } from '../lib/fs/file-lock.ts'
import { didYouMean, findByBeginning } from '../lib/text/did-you-mean.ts'
import type { CheckedFile } from '../source/index.ts'
import { type ApplyJob, type Done, outgoing } from './apply/send-resource.ts'
import type { CheckedResource } from './check-resource.ts'
import { projectError } from './errors.ts'
import { entriesAt, type FileEntry, type PushPlan, readEntries } from './faq/entries.ts'
import { lockFilePush, openLedger } from './faq/file-ledger.ts'
import type { PushJob, PushTools } from './faq/push-batch.ts'
import { type PushResult, previewPush, pushEntries } from './faq/push-entries.ts'
import { openSplicedFile } from './faq/splice.ts'
import type { Resource, ResourceFile } from './load/find-resources.ts'
import { kbLedger, textsToKeep } from './lockfile/kb-ledger.ts'
import {
  lockTarget,
  type OpenTarget,
  openTarget,
  type ProjectDeps,
  type TargetOptions,
  withTarget,
} from './open-target.ts'
import { changedIdentity, readProjectEntries, withoutEntries } from './plan/plan-knowledge-base.ts'
import { knowledgeBaseIdOf, snapshotOf } from './snapshot.ts'

/** How a push is to be made; the same for a file alone and for a file of a project. */
export interface PushOptions extends BatchOptions, Pick<TargetOptions, 'target'> {
  readonly knowledgeBaseId: string
  /** What the file is in a project; undefined for a file of its own. */
  readonly inProject: ResourceFile | undefined
  /** Ids in the file, or unique prefixes of them, of entries to insert again because they were deleted at the service. */
  readonly forget?: readonly string[] | undefined
}

type BatchOptions = Pick<PushJob, 'batchSize' | 'resendUnknown' | 'batchIds'>
type PushEvents = Pick<PushTools, 'onPlan' | 'onProgress'>

/** Of an apply. */
const batchOptions: BatchOptions = { batchSize: 100, resendUnknown: false }

/**
 * Inserts and updates the entries of a knowledge base (interface.md 4.6, 4.7) as `faq push` does, with the lockfile as its
 * ledger; ids that no other target has given go into the file.
 * @throws CallwrightError as pushEntries does.
 */
export async function pushKnowledgeBase(resource: Resource, job: ApplyJob): Promise<Done> {
  const { api, signal, assertAlone, target } = job
  const push = await openPush(resource, outgoing(resource, job).body, job, batchOptions)
  const tools: PushTools = { api, signal, assertAlone, onPlan() {}, onProgress() {} }
  const { inserted, updated } = await pushEntries(push, tools).catch(error => {
    // An apply has another way of sending open entries again.
    throw isOpenBatch(error) ? error.withDetails({ applied: { address: resource.address, target } }) : error
  })
  return { summary: { code: 'pushed', inserted, updated } }
}

function isOpenBatch(error: unknown): error is CallwrightError {
  const codes = ['answer-lost', 'answer-unclear', 'batch-open']
  return error instanceof CallwrightError && codes.some(code => code === error.code)
}

/** A push of a knowledge base of a project, as `faq push` and apply share it: the lockfile is its ledger. */
async function openPush(
  { address, checked }: Pick<Resource, 'address' | 'checked'>,
  body: unknown,
  at: Pick<ApplyJob, 'store' | 'target' | 'baseUrl' | 'isElsewhere' | 'hash' | 'fingerprintOf'>,
  { batchSize, resendUnknown, batchIds }: BatchOptions,
): Promise<PushJob> {
  const { store, baseUrl, isElsewhere, hash, fingerprintOf } = at
  const { source } = checked
  const snapshot = snapshotOf(checked, { hash, idOf: fingerprintOf })
  if (changedIdentity(store.recorded(address), snapshot).length > 0) {
    throw projectError('conflict', 'other-knowledge-base', { file: source.file, address })
  }
  const written = readProjectEntries(checked, hash, fingerprintOf, body)
  const ledger = kbLedger(store, address, {
    snapshot: withoutEntries(snapshot),
    isElsewhere,
    texts: textsToKeep(written),
  })
  const path = await realpath(source.path).catch(error => {
    throw projectError('conflict', 'file-gone', { file: source.file }, error)
  })
  const spliced = openSplicedFile(path, source)
  const target = { baseUrl, knowledgeBaseId: knowledgeBaseIdOf(body) }
  const entries = entriesAt(written, ledger)
  const inProject = { address, target: at.target }
  return { source, entries, target, ledger, spliced, inProject, batchSize, resendUnknown, batchIds }
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
  events: PushEvents,
): Promise<PushResult> {
  const { inProject } = options
  if (inProject === undefined) return pushLoneFile(resource.checked, options, deps, events)
  const locked = await lockTarget(inProject.folder, options, deps)
  return withTarget(locked, async () =>
    push(
      await projectJob(inProject, resource, { ...options, isKept: true }, locked),
      locked.lock,
      deps,
      events,
    ),
  )
}

async function pushLoneFile(
  checked: CheckedFile,
  options: PushOptions,
  deps: ProjectDeps,
  events: PushEvents,
): Promise<PushResult> {
  const path = await realpath(checked.source.path)
  const lock = await lockFilePush(path, checked.source.file, deps.clock)
  return withTarget({ close: lock.release }, async () => {
    const { job, close } = await loneJob(checked, { ...options, isKept: true }, path, deps, lock)
    return withTarget({ close }, () => push(job, lock, deps, events))
  })
}

async function push(
  job: PushJob,
  { assertHeld }: FileLock,
  { api, signal }: ProjectDeps,
  events: PushEvents,
): Promise<PushResult> {
  // Another run may have ended, and written ids, between the reading and the lock.
  await job.spliced.assertUntouched()
  // A batch under way is ended: without its answer it is unknown whether the service has it.
  return pushEntries(job, { api: api({ batch: true }), signal, assertAlone: assertHeld, ...events })
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
    return previewPush(await projectJob(inProject, resource, { ...options, isKept: false }, target))
  }
  const path = await realpath(resource.checked.source.path)
  return previewPush((await loneJob(resource.checked, { ...options, isKept: false }, path, deps)).job)
}

/** `isKept`: true if forgotten entries are recorded. */
type JobOptions = PushOptions & { readonly isKept: boolean }

async function loneJob(
  { source, body }: CheckedFile,
  { knowledgeBaseId, batchSize, resendUnknown, batchIds, forget, isKept }: JobOptions,
  path: string,
  deps: ProjectDeps,
  lock?: FileLock,
): Promise<{ readonly job: PushJob; close(): Promise<void> }> {
  const { value } = (await deps.settings()).baseUrl
  const target = { knowledgeBaseId, baseUrl: value === undefined ? '' : parseBaseUrl(value).href }
  const { ledger, close } = await openLedger(path, target, { lock })
  const written = readEntries(source, body)
  const forgotten = new Set(forgottenKeys(written, forget, source.file))
  await ledger.forget([...forgotten], { isKept })
  const isForgotten = ({ key }: FileEntry) => key !== undefined && forgotten.has(key)
  const entries = entriesAt(written, ledger)
  // No other target uses the ids of this file, so new ids replace those of deleted entries.
  const replaced = new Set<number>()
  for (const entry of written.filter(isForgotten)) {
    replaced.add(entry.index)
    entries[entry.index] = entry.at({ key: undefined, id: undefined })
  }
  const spliced = openSplicedFile(path, source, replaced)
  const job = {
    source,
    entries,
    target,
    ledger,
    spliced,
    inProject: undefined,
    batchSize,
    resendUnknown,
    batchIds,
  }
  return { job, close }
}

/** @throws CallwrightError `usage` for an id that is not in the file */
function forgottenKeys(
  entries: readonly FileEntry[],
  forget: readonly string[] = [],
  file: string,
): string[] {
  if (forget.length === 0) return []
  const keys = entries.flatMap(({ key }) => key ?? [])
  return forget.map(text => {
    const found = findByBeginning(text, keys, key => key)
    if (found.kind === 'found') return found.item
    if (found.kind === 'ambiguous')
      throw projectError('usage', 'forget-ambiguous', { text, ids: found.candidates })
    throw projectError('usage', 'forget-no-entry', { file, id: text, near: didYouMean(text, keys) })
  })
}

async function projectJob(
  { address }: ResourceFile,
  { checked, fingerprintOf }: CheckedResource,
  options: JobOptions,
  { target, store, state }: OpenTarget,
): Promise<PushJob> {
  const { hash, isElsewhere } = state()
  const where = { target: target.name, baseUrl: target.baseUrl ?? '' }
  const at = { ...where, store, isElsewhere, hash, fingerprintOf: fingerprintOf(hash) }
  const job = await openPush({ address, checked }, checked.body, at, options)
  const forgotten = forgottenKeys(job.entries, options.forget, job.source.file)
  await job.ledger.forget(forgotten, options)
  return forgotten.length === 0 ? job : { ...job, entries: entriesAt(job.entries, job.ledger) }
}
