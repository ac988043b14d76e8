import type { Context } from '../../cli/context.ts'
import type { ApplyJob } from '../../project/apply/job.ts'
import type { Resource } from '../../project/load/find-resources.ts'
import type { CheckedResource } from './check-resource.ts'
import type { LockedProject } from './locked-project.ts'

/** What applying one resource of a project by itself needs. */
export async function singleJob(
  { target, store, lock, state }: LockedProject,
  resource: Resource,
  { idOf, fingerprintOf }: CheckedResource,
  context: Context,
): Promise<ApplyJob> {
  const now = state()
  return {
    target: target.name,
    baseUrl: target.baseUrl ?? '',
    settings: {},
    vocabulary: (await context.settings()).vocabulary.value,
    resources: new Map([[resource.address, resource]]),
    store,
    ...now,
    idOf,
    fingerprintOf: fingerprintOf(now.hash),
    api: context.api({ batch: true }),
    signal: context.signal,
    assertAlone: lock.assertHeld,
  }
}
