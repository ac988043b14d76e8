import type { Context } from '../../context.ts'
import { bold, text } from '../../output/text.ts'
import { resourceInProject } from '../../project/load/file-in-project.ts'
import { loadResource } from '../load-resource.ts'

export interface UpdateToolOptions {
  readonly id: string
  readonly file: string
  readonly allowUnknown?: boolean
  /** Section of the lockfile that the ids of references come from; the profile's name unless given. */
  readonly target?: string
}

/**
 * `tool update` (interface.md 4.5): PATCH is idempotent, so a lost answer may be retried. The file of a tool in a project
 * is a whole tool; of it only what changed is sent, and the lockfile is kept up to date.
 */
export async function updateTool(options: UpdateToolOptions, context: Context): Promise<void> {
  const { id, file, ...rest } = options
  const inProject = await resourceInProject(file, context)
  if (inProject?.kind === 'tool') {
    const { updateProjectTool } = await import('./update-in-project.ts')
    return updateProjectTool(inProject, options, context)
  }
  const change = await loadResource(context, file, 'tool-update', rest)
  const record = await context.api().updateTool(id, change)
  context.output.result(record, () => text`Updated tool ${bold(id)}`)
}
