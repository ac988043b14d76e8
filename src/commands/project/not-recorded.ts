import type { Context } from '../../context.ts'
import { type ResourceInProject, resourceInProject } from '../../project/load/file-in-project.ts'
import { lockfileName, readLockfile } from '../../project/lockfile/lockfile.ts'
import { applyCommand, lockfilePlace, type ProjectOptions, projectTarget } from './open-project.ts'

/** A person who creates a file of a project by itself should know that apply does not know of it. */
export async function noteNotRecorded(
  file: string,
  id: string,
  options: Pick<ProjectOptions, 'target'>,
  context: Context,
): Promise<void> {
  const resource = await resourceInProject(file, context)
  if (resource === undefined) return
  const apply = applyCommand(options)
  const known = await recordedId(resource, options, context)
  if (known !== undefined) {
    return context.output.note(`${lockfileName} has another ${resource.address}, ${known}, and keeps to it`)
  }
  context.output.note(
    `${lockfileName} does not know of ${id}: ${apply} would create ${resource.address} once more; ${apply} --adopt ${resource.address}=${id} takes this one`,
  )
}

async function recordedId(
  { address, folder }: ResourceInProject,
  options: Pick<ProjectOptions, 'target'>,
  context: Context,
): Promise<string | undefined> {
  const { path, name } = lockfilePlace(folder, context)
  const { lockfile } = await readLockfile(path, name)
  const { name: target } = await projectTarget(options, context)
  return Object.hasOwn(lockfile.targets, target)
    ? lockfile.targets[target]?.resources[address]?.id
    : undefined
}
