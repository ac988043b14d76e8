import type { Context } from '../../cli/context.ts'
import { bold, text } from '../../lib/text/text.ts'
import { resourceInProject, updateFromFile } from '../../project/index.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { askedId, loadResource, requireBaseUrl, sendEvents } from '../project/in-project.ts'

export interface UpdateToolOptions {
  /** Of the tool, or its name in the project. */
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
  const { file, ...rest } = options
  const id = await askedId({ text: options.id, kind: 'tool', idFlag: '<id>' }, options, context)
  const inProject = await resourceInProject(file, context.files)
  if (inProject?.kind === 'tool') {
    await requireBaseUrl(context)
    const updated = await updateFromFile(inProject, { ...options, id }, context, sendEvents(context))
    if (updated === undefined) {
      const nothing = () => text`Tool ${bold(id)} is up to date; nothing was sent`
      return context.output.result({ _id: id, unchanged: true }, nothing)
    }
    const { answer, summary } = updated
    const fields = summary.replace(/^updated /, '')
    return context.output.result(answer, () => text`Updated tool ${bold(id)}: ${fields}`)
  }
  const change = await loadResource(context, file, 'tool-update', rest)
  await agreeToAccess(context)
  const record = await context.api().updateTool(id, change)
  context.output.result(record, () => text`Updated tool ${bold(id)}`)
}
