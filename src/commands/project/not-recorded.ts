import type { Context } from '../../context.ts'
import { resourceInProject } from '../../project/load/file-in-project.ts'
import { lockfileName } from '../../project/lockfile/lockfile.ts'
import { applyCommand, type ProjectOptions } from './open-project.ts'

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
  context.output.note(
    `${lockfileName} does not know of ${id}: ${apply} would create ${resource.address} once more; ${apply} --adopt ${resource.address}=${id} takes this one`,
  )
}
