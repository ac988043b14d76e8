import { realpath } from 'node:fs/promises'
import type { Source } from '../../source/index.ts'
import { projectError } from '../errors.ts'
import { type EntryForms, readEntries } from '../faq/entries.ts'
import { asPartOfApply, type PushJob, type PushTools } from '../faq/push-batch.ts'
import { pushEntries } from '../faq/push-entries.ts'
import { openSplicedFile } from '../faq/splice.ts'
import type { Resource } from '../load/find-resources.ts'
import { kbLedger, textsToKeep } from '../lockfile/kb-ledger.ts'
import { changedIdentity, hashedBody, shownBody, withoutEntries } from '../plan/plan-knowledge-base.ts'
import type { Snapshot } from '../snapshot.ts'
import { knowledgeBaseIdOf } from '../snapshot.ts'
import { type ApplyJob, type Done, outgoing } from './send-resource.ts'

/** Most entries in one request. */
const batchSize = 100

/**
 * Inserts and updates the entries of a knowledge base (interface.md 4.6, 4.7) as `faq push` does, with the lockfile as its
 * ledger; ids that no other target has given go into the file.
 * @throws CallwrightError as pushEntries does.
 */
export async function pushKnowledgeBase(resource: Resource, job: ApplyJob): Promise<Done> {
  const { api, signal, assertAlone, hash, fingerprintOf } = job
  const { body, snapshot } = outgoing(resource, job)
  const forms = {
    hashed: hashedBody(resource.checked, hash, fingerprintOf),
    shown: shownBody(resource.checked),
  }
  const push = await openPush(resource, { body, forms, snapshot }, job, { batchSize })
  const tools: PushTools = { api, signal, assertAlone, onPlan() {}, onProgress() {} }
  const { inserted, updated } = await pushEntries(push, tools).catch(error => {
    throw asPartOfApply(error, { address: resource.address, target: job.target })
  })
  return { summary: { code: 'pushed', inserted, updated } }
}

/** A push of a knowledge base of a project, as `faq push` and apply share it: the lockfile is its ledger. */
export async function openPush(
  { address, checked: { source } }: Pick<Resource, 'address' | 'checked'>,
  {
    body,
    forms,
    snapshot,
  }: { readonly body: unknown; readonly forms: EntryForms; readonly snapshot: Snapshot },
  { store, baseUrl, isElsewhere }: Pick<ApplyJob, 'store' | 'baseUrl' | 'isElsewhere'>,
  {
    resendUnknown = false,
    ...settings
  }: Pick<PushJob, 'batchSize' | 'batchIds'> & Partial<Pick<PushJob, 'resendUnknown'>>,
): Promise<PushJob> {
  if (changedIdentity(store.recorded(address), snapshot).length > 0) {
    throw projectError('conflict', 'other-knowledge-base', { file: source.file, address })
  }
  const target = { baseUrl, knowledgeBaseId: knowledgeBaseIdOf(body) }
  const file = readEntries(source, body, forms)
  return {
    file,
    target,
    ledger: kbLedger(store, address, {
      snapshot: withoutEntries(snapshot),
      isElsewhere,
      texts: textsToKeep(file.entries),
    }),
    spliced: openSplicedFile(await realPathOf(source), source, store.machine),
    resendUnknown,
    ...settings,
  }
}

async function realPathOf({ path, file }: Source): Promise<string> {
  return realpath(path).catch(error => {
    throw projectError('conflict', 'file-gone', { file }, error)
  })
}
