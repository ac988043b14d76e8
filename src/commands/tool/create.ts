import type { Context } from '../../cli/context.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { bold, text } from '../../lib/text/text.ts'
import { type CreateOptions, createFromFile, nameOf, resourceInProject } from '../../project/index.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { loadResource, requireBaseUrl, sendEvents } from '../project/in-project.ts'

export interface CreateToolOptions extends CreateOptions {
  readonly file: string
}

/** `tool create` (interface.md 4.4): one POST, after the whole file passed. A file of a project is recorded in its lockfile. */
export async function createTool({ file, ...options }: CreateToolOptions, context: Context): Promise<void> {
  const { output } = context
  const resource = await resourceInProject(file, context.files)
  if (resource?.kind === 'tool') {
    await requireBaseUrl(context)
    const done = await createFromFile({ ...resource, kind: 'tool' }, options, context, sendEvents(context))
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
