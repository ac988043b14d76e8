import type { Context } from '../../context.ts'
import { openPush } from '../../project/apply/push-knowledge-base.ts'
import type { PushJob } from '../../project/faq/push-state.ts'
import type { ResourceInProject } from '../../project/load/file-in-project.ts'
import { openLockStore } from '../../project/lockfile/lock-store.ts'
import { readLockfile } from '../../project/lockfile/lockfile.ts'
import { sectionOf } from '../../project/lockfile/target.ts'
import { stateOf } from '../../project/plan/make-plan.ts'
import { hashedBody } from '../../project/plan/plan-knowledge-base.ts'
import { snapshotOf } from '../../project/snapshot/snapshot.ts'
import type { CheckedFile } from '../../source/check-file.ts'
import { type HeldProject, holdProject } from '../project/held-project.ts'
import { lockfilePlace, projectTarget } from '../project/open-project.ts'
import type { OpenPush, PushSettings } from './open-push.ts'

/** Opens the push of a knowledge base of a project: what apply knows of it, and the lock that apply takes. */
export async function openProjectPush(
  { address, folder }: ResourceInProject,
  checked: CheckedFile,
  settings: PushSettings,
  context: Context,
): Promise<OpenPush> {
  const held = await holdProject(folder, {}, context)
  const { lock } = held
  try {
    const job = await projectJob({ address, checked }, settings, held)
    // An apply may have ended, and written ids, between the reading and the lock.
    await job.spliced.assertUntouched()
    return { job, assertAlone: lock.assertHeld, release: lock.release }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The same only to look at: takes no lock, needs no service. */
export async function previewProjectPush(
  { address, folder }: ResourceInProject,
  checked: CheckedFile,
  settings: PushSettings,
  context: Context,
): Promise<PushJob> {
  const place = lockfilePlace(folder, context)
  const target = await projectTarget({}, context)
  const { lockfile, text } = await readLockfile(place.path, place.name)
  const section = sectionOf(lockfile, target)
  const store = openLockStore({ ...place, lockfile, text, target: target.name, section })
  return projectJob({ address, checked }, settings, {
    target,
    store,
    state: () => stateOf(lockfile, section, target.name),
  })
}

async function projectJob(
  resource: { readonly address: ResourceInProject['address']; readonly checked: CheckedFile },
  { batchSize, resendUnknown }: PushSettings,
  { target, store, state }: Pick<HeldProject, 'target' | 'store' | 'state'>,
): Promise<PushJob> {
  const { hash, isElsewhere } = state()
  const { checked } = resource
  const sent = {
    body: checked.body,
    hashed: hashedBody(checked, hash),
    snapshot: snapshotOf(checked, { hash, idOf: () => undefined }),
  }
  const at = { store, baseUrl: target.baseUrl ?? '', isElsewhere }
  return openPush(resource, sent, at, { batchSize, resendUnknown })
}
