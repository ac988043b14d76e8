import type { Context } from '../../cli/context.ts'
import { openPush } from '../../project/apply/push-knowledge-base.ts'
import type { PushJob } from '../../project/faq/push-state.ts'
import type { ResourceInProject } from '../../project/load/file-in-project.ts'
import { openLockStore } from '../../project/lockfile/lock-store.ts'
import { readLockfile } from '../../project/lockfile/lockfile.ts'
import { hashedBody, shownBody } from '../../project/plan/plan-knowledge-base.ts'
import { stateOf } from '../../project/plan/plan-project.ts'
import { snapshotOf } from '../../project/snapshot/snapshot.ts'
import type { CheckedResource } from '../project/check-resource.ts'
import { type LockedProject, lockProject } from '../project/locked-project.ts'
import { lockfilePlace, type ProjectOptions } from '../project/open-project.ts'
import { openSection } from '../project/open-section.ts'
import type { OpenPush, PushSettings } from './open-push.ts'

export type ProjectPushSettings = PushSettings & Pick<ProjectOptions, 'target'>

/** Opens the push of a knowledge base of a project: what apply knows of it, and the lock that apply takes. */
export async function openProjectPush(
  { address, folder }: ResourceInProject,
  resource: CheckedResource,
  settings: ProjectPushSettings,
  context: Context,
): Promise<OpenPush> {
  const held = await lockProject(folder, settings, context)
  const { lock } = held
  try {
    const job = await projectJob(address, resource, settings, held)
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
  resource: CheckedResource,
  settings: ProjectPushSettings,
  context: Context,
): Promise<PushJob> {
  const place = lockfilePlace(folder, context)
  const { lockfile, text } = await readLockfile(place.path, place.name)
  const { target, section } = await openSection(lockfile, settings, context)
  const store = openLockStore({
    ...place,
    lockfile,
    text,
    target: target.name,
    section,
    machine: context,
  })
  return projectJob(address, resource, settings, {
    target,
    store,
    state: () => stateOf(lockfile, section, target.name),
  })
}

async function projectJob(
  address: ResourceInProject['address'],
  { checked, fingerprintOf: marks }: CheckedResource,
  { batchSize, resendUnknown, batchIds }: PushSettings,
  { target, store, state }: Pick<LockedProject, 'target' | 'store' | 'state'>,
): Promise<PushJob> {
  const { hash, isElsewhere } = state()
  const fingerprintOf = marks(hash)
  const sent = {
    body: checked.body,
    forms: { hashed: hashedBody(checked, hash, fingerprintOf), shown: shownBody(checked) },
    snapshot: snapshotOf(checked, { hash, idOf: fingerprintOf }),
  }
  const at = { store, baseUrl: target.baseUrl ?? '', isElsewhere }
  return openPush({ address, checked }, sent, at, { batchSize, resendUnknown, batchIds })
}
