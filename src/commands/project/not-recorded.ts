import type { Context } from '../../context.ts'
import { resourceInProject } from '../../project/load/file-in-project.ts'
import { lockfileName } from '../../project/lockfile/lockfile.ts'

/** A person who creates a file of a project by itself should know that apply does not know of it. */
export async function noteNotRecorded(file: string, id: string, context: Context): Promise<void> {
  const resource = await resourceInProject(file, context)
  if (resource === undefined) return
  context.output.note(
    `${lockfileName} does not know of ${id}: callwright apply would create ${resource.address} once more; callwright apply --adopt ${resource.address}=${id} takes this one`,
  )
}
