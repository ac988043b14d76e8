import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Address, toAddress } from '../../files/formats/address.ts'
import type { CheckedFile, Source } from '../../files/source/index.ts'
import { CallyardError } from '../../lib/error.ts'
import { removeLeftover } from '../../lib/fs/replace-file.ts'
import { countsText } from '../../lib/text/count.ts'
import { parseBaseUrl } from '../../service/api/index.ts'
import {
  type BatchOptions,
  entriesAt,
  forgottenKeys,
  getKnowledgeBaseId,
  nothingSent,
  openSplicedFile,
  type PushEvents,
  type PushJob,
  type PushPlan,
  type PushResult,
  type PushTools,
  previewPush,
  pushEntries,
  readEntries,
} from '../faq/index.ts'
import { kbLedger, ledgerView, textsToKeep } from '../lockfile/entries/index.ts'
import { lockfileLocation, lockfileName, withTarget } from '../lockfile/index.ts'
import { changedIdentity, withoutEntries } from '../plan/index.ts'
import { renderResource, sentBody } from '../rendering/index.ts'
import type { Resource, ResourceFile } from '../resources/index.ts'
import type { Witnesses } from './apply-history.ts'
import type { CheckedResource } from './check-resource.ts'
import { lockTarget, type OpenTarget, openTarget } from './open-target.ts'
import type { ProjectDeps, TargetOptions } from './read-target.ts'
import type { ApplyJob, Done, JobTarget } from './send-resource.ts'

/** Batch options of `apply`. */
const batchOptions: BatchOptions = { batchSize: 100, resendUnknown: false }

/**
 * Inserts and updates the entries of a knowledge base (interface.md 4.6, 4.7) as `faq push` does, with the lockfile as its
 * ledger; ids that no other target has given go into the file.
 * @throws CallyardError as pushEntries does.
 */
export async function pushKnowledgeBase(resource: Resource, job: ApplyJob): Promise<Done> {
  const { api, signal, assertAlone, target } = job
  const knowledgeBaseId = getKnowledgeBaseId(sentBody(resource.checked, job.ids.idOf))
  const push = await openPush(resource, job, { ...batchOptions, knowledgeBaseId })
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

interface PushOptions extends BatchOptions {
  readonly knowledgeBaseId: string
  /** Ids in the file, or unique prefixes of them, of entries to insert again because they were deleted at the service. */
  readonly forget?: readonly string[] | undefined
  /** True if forgotten entries are recorded. */
  readonly isKept?: boolean
  /** Set for a file that belongs to no project: its lockfile. */
  readonly ownLockfile?: string | undefined
}

/** A push of a knowledge base, as `faq push` and apply share it: the lockfile is its ledger. */
async function openPush(
  { address, checked }: { readonly address: Address; readonly checked: CheckedFile },
  { store, target, baseUrl, ids }: JobTarget,
  { knowledgeBaseId, forget, isKept = true, ownLockfile, ...batch }: PushOptions,
): Promise<PushJob> {
  const { source, own } = checked
  const { file } = own
  const isAlone = ownLockfile !== undefined
  const { isOwnedByOtherTarget } = store.state
  const lastState = store.state.stateOf(address)
  // The target of a file by itself is named by the knowledge base.
  const rendering = renderResource(checked, ids)
  const snapshot = isAlone ? { body: {} } : rendering.fingerprint()
  if (changedIdentity(lastState, snapshot).length > 0) {
    const message = `${file} names another knowledge base than ${lockfileName}, but its entries have ids of that one; nothing was sent`
    throw new CallyardError('conflict', message, {
      code: 'other-knowledge-base',
      hint: `change knowledgeBaseId back; or forget ${address}, to insert every entry into the other one`,
      details: { file, address, target },
    })
  }
  const fileEntries = readEntries(source, rendering.sent(), rendering)
  const ledger = isKept
    ? kbLedger(store, address, {
        snapshot: withoutEntries(snapshot),
        texts: isAlone ? undefined : textsToKeep(fileEntries),
        keptIn: ownLockfile,
      })
    : ledgerView(lastState, isOwnedByOtherTarget)
  const path = await realPathOf(source)
  const forgotten = new Set(forgottenKeys(fileEntries, forget, source.file))
  await ledger.forget([...forgotten])
  // Where no other target can have the id of a deleted entry, the new one replaces it in the file.
  const replaced = new Set<number>()
  const entries = entriesAt(fileEntries, ledger).map(entry => {
    const { key = '', index } = entry
    if (!isAlone || !forgotten.has(key) || isOwnedByOtherTarget(key)) return entry
    replaced.add(index)
    return entry.at({ key: undefined })
  })
  return {
    ...{ ...batch, file, source, entries, ledger, spliced: openSplicedFile(path, source, replaced) },
    target: { baseUrl, knowledgeBaseId },
    inProject: isAlone ? undefined : { address, target },
  }
}

async function realPathOf({ path, file }: Source): Promise<string> {
  return realpath(path).catch(error => {
    throw new CallyardError('conflict', `${file} was deleted after it was read; none of it was sent`, {
      ...{ code: 'file-gone', details: { file }, cause: error },
    })
  })
}

/** A file that is pushed by itself. */
export interface FilePushOptions extends Omit<PushOptions, 'isKept' | 'ownLockfile'> {
  /** Default: the section of the profile. */
  readonly target?: string | undefined
  /** Undefined for a file that belongs to no project. */
  readonly inProject: ResourceFile | undefined
}

/**
 * Pushes the entries of one knowledge-base file, with the lock and the lockfile that apply uses.
 * @throws as pushEntries; CallyardError `conflict` when another push or apply is at work
 */
export async function pushFile(
  resource: CheckedResource,
  options: FilePushOptions,
  deps: ProjectDeps,
  events: PushEvents,
): Promise<PushResult> {
  const { source } = resource.checked
  const project = await projectOf(source, options, deps)
  const locked = await lockTarget(project.folder, project, deps, project.witnesses).catch(error =>
    throwUnusable(project, error),
  )
  return withTarget(locked, async () => {
    await removeLeftover(await realPathOf(source)).catch(error => throwUnusable(project, error))
    const job = await openFile(resource, project, { ...options, isKept: true }, locked)
    // Another run may have ended, and written ids, between the reading and the lock.
    await job.spliced.assertUntouched()
    // A batch that is being sent gets its response even after Ctrl-C: without it, nobody knows whether the service has the entries.
    const api = deps.api({ batch: true })
    const { signal } = deps
    return pushEntries(job, { api, signal, assertAlone: locked.lock.assertHeld, ...events })
  })
}

/** Returns what pushFile would do. Takes no lock, needs no service, writes nothing. */
export async function previewFile(
  resource: CheckedResource,
  options: FilePushOptions,
  deps: ProjectDeps,
): Promise<PushPlan> {
  const project = await projectOf(resource.checked.source, options, deps)
  const opened = await openTarget(project.folder, project, deps, project).catch(error =>
    throwUnusable(project, error),
  )
  return previewPush(await openFile(resource, project, { ...options, isKept: false }, opened))
}

function openFile(
  { checked, idsWith }: CheckedResource,
  { address, ownLockfile }: PushedProject,
  { inProject: _, target: __, ...options }: FilePushOptions & { readonly isKept: boolean },
  { target, store }: OpenTarget,
): Promise<PushJob> {
  const { name, baseUrl = '' } = target
  const job = { target: name, baseUrl, store, ids: idsWith(store.state.hash) }
  return openPush({ address, checked }, job, { ...options, ownLockfile })
}

/**
 * The project of a pushed file. A file outside of one is a project by itself, in `.callyard/` beside it, with a target for each knowledge
 * base that it is pushed to.
 */
async function projectOf(
  source: Source,
  { inProject, knowledgeBaseId, target }: FilePushOptions,
  deps: ProjectDeps,
): Promise<PushedProject> {
  if (inProject !== undefined) return { ...inProject, target, witnesses: 'machine and git' }
  const path = await realPathOf(source)
  const folder = join(dirname(path), '.callyard/faq', basename(path))
  const { value } = (await deps.settings()).baseUrl
  return {
    folder,
    address: toAddress('kb', basename(path)),
    target: `${knowledgeBaseId} at ${value === undefined ? '' : parseBaseUrl(value).href}`,
    newTarget: true,
    witnesses: 'none',
    ownLockfile: lockfileLocation(folder, deps).name,
  }
}

interface PushedProject extends TargetOptions, Pick<PushOptions, 'ownLockfile'> {
  readonly folder: string
  readonly address: Address
  readonly witnesses: Witnesses
}

/** A project that cannot be opened: nothing was sent, and a lockfile that only pushes have written may be deleted. */
function throwUnusable({ folder, ownLockfile }: PushedProject, error: unknown): never {
  if (!(error instanceof CallyardError)) throw error
  // Errors of files have no code.
  if (error.kind === 'usage' && error.code === undefined) throw nothingSent(error)
  if (ownLockfile === undefined || error.kind !== 'conflict' || error.code === 'project-locked') throw error
  const path = join(folder, lockfileName)
  throw new CallyardError(
    'conflict',
    `${path} is damaged or was written by another version; nothing was sent`,
    {
      code: 'ledger-damaged',
      hint: 'restore it; or delete it if every sent entry has its id in the file: entries with an id are updated again, others are inserted',
      ...{ details: { path }, cause: error },
    },
  )
}
