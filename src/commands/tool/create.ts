import type { Context } from '../../cli/context.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { bold, text } from '../../lib/text/text.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { type CreateOptions, createInProject } from '../project/create-in-project.ts'
import { loadResource } from '../project/load-resource.ts'
import { nameOf } from '../project/name-of.ts'

export interface CreateToolOptions extends CreateOptions {
  readonly file: string
}

/** `tool create` (interface.md 4.4): one POST, after the whole file passed. A file of a project is recorded in its lockfile. */
export async function createTool({ file, ...options }: CreateToolOptions, context: Context): Promise<void> {
  const { output } = context
  const created = await createInProject(file, 'tool', options, context)
  if (created !== undefined) {
    const { resource, done } = created
    output.result(done.answer, () => text`Created tool ${bold(done.id ?? '')} (${resource.address})`)
    return noteNext(output, `assistantToolIds: ["\${tool:${nameOf(resource)}}"] in an assistant's file`)
  }
  const body = await loadResource(context, file, 'tool', options)
  await agreeToAccess(context)
  const record = await context.api().createTool(body)
  output.result(record, () => text`Created tool ${bold(record._id)}`)
  noteNext(output, `assistantToolIds: [${record._id}] in an assistant's file`)
}
