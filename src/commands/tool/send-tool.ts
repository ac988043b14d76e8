import type { Context } from '../../cli/context.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { bold, text } from '../../lib/text/text.ts'
import { createFromFile, nameOf, resourceInProject, updateFromFile } from '../../project/index.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { askedId, loadResource, requireBaseUrl, sendEvents } from '../project/in-project.ts'
import type { CreateToolOptions } from './create.ts'
import type { UpdateToolOptions } from './update.ts'

/** `tool create` (interface.md 4.4): one POST, after the whole file passed. A file of a project is recorded in its lockfile. */
export async function createTool(file: string, options: CreateToolOptions, context: Context): Promise<void> {
  const { output } = context
  const { again } = options
  const resource = await resourceInProject(file, context.files)
  if (resource?.kind === 'tool') {
    await requireBaseUrl(context)
    const done = await createFromFile(
      { ...resource, kind: 'tool' },
      { ...options, again },
      context,
      sendEvents(context),
    )
    output.result(done.answer, () => text`Created tool ${bold(done.id ?? '')} (${resource.address})`)
    return noteNext(
      output,
      `assistantToolIds: ["\${tool:${nameOf(resource.address)}}"] in an assistant's file`,
    )
  }
  const body = await loadResource(context, file, 'tool', options)
  await agreeToAccess(context)
  const record = await context.api().createTool(body)
  output.result(record, () => text`Created tool ${bold(record._id)}`)
  noteNext(output, `assistantToolIds: [${record._id}] in an assistant's file`)
}

/**
 * `tool update` (interface.md 4.5): PATCH is idempotent, so a lost answer may be retried. The file of a tool in a project
 * is a whole tool; of it only what changed is sent, and the lockfile is kept up to date.
 */
export async function updateTool(
  given: { readonly id: string; readonly file: string },
  options: UpdateToolOptions,
  context: Context,
): Promise<void> {
  const { file } = given
  const id = await askedId({ text: given.id, kind: 'tool', idFlag: '<id>' }, options, context)
  const inProject = await resourceInProject(file, context.files)
  if (inProject?.kind === 'tool') {
    await requireBaseUrl(context)
    const updated = await updateFromFile(inProject, { ...options, id }, context, sendEvents(context))
    if (updated === undefined) {
      const nothing = () => text`Tool ${bold(id)} is up to date; nothing was sent`
      return context.output.result({ _id: id, unchanged: true }, nothing)
    }
    const { answer, fields } = updated
    return context.output.result(answer, () => text`Updated tool ${bold(id)}: ${fields.join(', ')}`)
  }
  const change = await loadResource(context, file, 'tool-update', options)
  await agreeToAccess(context)
  const record = await context.api().updateTool(id, change)
  context.output.result(record, () => text`Updated tool ${bold(id)}`)
}
