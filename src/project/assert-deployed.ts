import { formatPath } from '../interface/check.ts'
import { displayName } from '../source/index.ts'
import type { CheckedResource } from './check-resource.ts'
import { projectError } from './errors.ts'
import type { ResourceInProject } from './load/file-in-project.ts'
import { recordedOf } from './lockfile/lockfile.ts'
import { openTarget, type ProjectDeps, type TargetOptions } from './open-target.ts'
import { changesSince } from './plan/changes.ts'
import { snapshotOf } from './snapshot/snapshot.ts'

/**
 * Whether the file of an assistant is what the lockfile says that the target holds.
 * @throws CallwrightError `conflict` with the fields that differ
 */
export async function assertDeployed(
  { address, folder, path }: ResourceInProject,
  { checked, fingerprintOf }: CheckedResource,
  options: Pick<TargetOptions, 'target'>,
  deps: ProjectDeps,
): Promise<void> {
  const { section, target, name, state } = await openTarget(folder, options, deps)
  const { hash } = state()
  const recorded = recordedOf(section, address) ?? { body: {} }
  const changes = changesSince(recorded, snapshotOf(checked, { hash, idOf: fingerprintOf(hash) }))
  if (changes.length === 0) return
  throw projectError('conflict', 'not-as-deployed', {
    file: displayName(path, deps.cwd),
    lockfile: name,
    address,
    target: target.name,
    given: options.target,
    fields: [...new Set(changes.map(({ path: field }) => formatPath(field)))],
  })
}
