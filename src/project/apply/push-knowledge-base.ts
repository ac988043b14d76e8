import { realpath } from 'node:fs/promises'
import type { Address } from '../../files/formats/address.ts'
import type { CheckedFile } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { countsText } from '../../lib/text/count.ts'
import {
  type BatchOptions,
  entriesAt,
  type FilePushOptions,
  forgottenKeys,
  getKnowledgeBaseId,
  openSplicedFile,
  type PushEvents,
  type PushJob,
  type PushPlan,
  type PushResult,
  type PushTools,
  previewPush,
  pushEntries,
  runPush,
} from '../faq/index.ts'
import { kbLedger, textsToKeep } from '../lockfile/entries/index.ts'
import { lockfileName, withTarget } from '../lockfile/index.ts'
import {
  changedIdentity,
  createSnapshot,
  type IdOf,
  readProjectEntries,
  withoutEntries,
} from '../plan/index.ts'
import type { Resource, ResourceFile } from '../resources/index.ts'
import type { CheckedResource } from './check-resource.ts'
import { lockTarget, type OpenTarget, openTarget, type ProjectDeps } from './open-target.ts'
import { type ApplyJob, type Done, type JobTarget, outgoing } from './send-resource.ts'

/** Batch options of `apply`. */
const batchOptions: BatchOptions = { batchSize: 100, resendUnknown: false }

/**
 * Inserts and updates the entries of a knowledge base (interface.md 4.6, 4.7) as `faq push` does, with the lockfile as its
 * ledger; ids that no other target has given go into the file.
 * @throws CallyardError as pushEntries does.
 */
export async function pushKnowledgeBase(resource: Resource, job: ApplyJob): Promise<Done> {
  const { api, signal, assertAlone, target } = job
  const push = await openPush(resource, outgoing(resource, job).body, job, batchOptions)
  const tools: PushTools = { api, signal, assertAlone, onPlan() {}, onProgress() {} }
  const { inserted, updated } = await pushEntries(push, tools).catch(error => {
    // An apply has another way of sending open entries again.
    throw isOpenBatch(error) ? error.withDetails({ applied: { address: resource.address, target } }) : error
  })
  const entries = (number: number) => (number === 1 ? 'entry' : 'entries')
  const changes = countsText([
    [inserted, `${entries(inserted)} inserted`],
    [updated, `${entries(updated)} updated`],
  ])
  return { summary: changes || 'unchanged' }
}

function isOpenBatch(error: unknown): error is CallyardError {
  const codes = ['answer-lost', 'answer-unclear', 'batch-open']
  return error instanceof CallyardError && codes.some(code => code === error.code)
}

/** A push of a knowledge base of a project, as `faq push` and apply share it: the lockfile is its ledger. */
async function openPush(
  { address, checked }: { readonly address: Address; readonly checked: CheckedFile },
  body: unknown,
  at: JobTarget & { readonly fingerprintOf: IdOf },
  { batchSize, resendUnknown, batchIds }: BatchOptions,
): Promise<PushJob> {
  const { store, baseUrl, isOwnedByOtherTarget, hash, fingerprintOf } = at
  const {
    source,
    own: { file },
  } = checked
  const snapshot = createSnapshot(checked, { hash, idOf: fingerprintOf })
  if (changedIdentity(store.recorded(address), snapshot).length > 0) {
    const message = `${file} names another knowledge base than ${lockfileName}, but its entries have ids of that one; nothing was sent`
    throw new CallyardError('conflict', message, {
      code: 'other-knowledge-base',
      hint: `change knowledgeBaseId back; or forget ${address}, to insert every entry into the other one`,
      details: { file, address, target: at.target },
    })
  }
  const fileEntries = readProjectEntries(checked, hash, fingerprintOf, body)
  const ledger = kbLedger(store, address, {
    snapshot: withoutEntries(snapshot),
    isOwnedByOtherTarget,
    texts: textsToKeep(fileEntries),
  })
  const path = await realpath(source.path).catch(error => {
    const deletedFile = source.file
    throw new CallyardError('conflict', `${deletedFile} was deleted after it was read; none of it was sent`, {
      ...{ code: 'file-gone', details: { file: deletedFile }, cause: error },
    })
  })
  const spliced = openSplicedFile(path, source)
  const target = { baseUrl, knowledgeBaseId: getKnowledgeBaseId(body) }
  const entries = entriesAt(fileEntries, ledger)
  const inProject = { address, target: at.target }
  return { file, source, entries, target, ledger, spliced, inProject, batchSize, resendUnknown, batchIds }
}

/** The file of a project that is pushed by itself. */
export interface ProjectPushOptions extends FilePushOptions {
  /** Default: the section of the profile. */
  readonly target?: string | undefined
  readonly inProject: ResourceFile
}

/**
 * Pushes the entries of one knowledge-base file of a project, with the lock and the lockfile that apply uses.
 * @throws as pushEntries; CallyardError `conflict` when another push or apply is at work
 */
export async function pushProjectFile(
  resource: CheckedResource,
  options: ProjectPushOptions,
  deps: ProjectDeps,
  events: PushEvents,
): Promise<PushResult> {
  const locked = await lockTarget(options.inProject.folder, options, deps)
  return withTarget(locked, async () =>
    runPush(await projectJob(resource, { ...options, isKept: true }, locked), locked.lock, deps, events),
  )
}

/** Returns what pushProjectFile would do. Takes no lock, needs no service, writes nothing. */
export async function previewProjectFile(
  resource: CheckedResource,
  options: ProjectPushOptions,
  deps: ProjectDeps,
): Promise<PushPlan> {
  const target = await openTarget(options.inProject.folder, options, deps, {
    witnesses: 'machine and git',
  })
  return previewPush(await projectJob(resource, { ...options, isKept: false }, target))
}

/** `isKept`: true if forgotten entries are recorded. */
async function projectJob(
  { checked, fingerprintOf }: CheckedResource,
  { inProject: { address }, ...options }: ProjectPushOptions & { readonly isKept: boolean },
  { target, store, state }: OpenTarget,
): Promise<PushJob> {
  const { hash, isOwnedByOtherTarget } = state()
  const where = { target: target.name, baseUrl: target.baseUrl ?? '' }
  const at = { ...where, store, isOwnedByOtherTarget, hash, fingerprintOf: fingerprintOf(hash) }
  const job = await openPush({ address, checked }, checked.body, at, options)
  const forgottenIds = forgottenKeys(job.entries, options.forget, job.source.file)
  await job.ledger.forget(forgottenIds, options)
  return forgottenIds.length === 0 ? job : { ...job, entries: entriesAt(job.entries, job.ledger) }
}
