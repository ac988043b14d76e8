import type { Context } from '../../cli/context.ts'
import type { ApplyJob } from '../../project/apply/job.ts'
import type { Resource } from '../../project/load/resource.ts'
import type { CheckedResource } from './check-resource.ts'
import type { HeldProject } from './locked-project.ts'

/** What applying one resource of a project by itself needs. */
export async function singleJob(
  { target, store, lock, state }: HeldProject,
  resource: Resource,
  { idOf, markOf }: CheckedResource,
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
    markOf: markOf(now.hash),
    api: context.api({ batch: true }),
    signal: context.signal,
    assertAlone: lock.assertHeld,
  }
}
