import type { Context } from '../../cli/context.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { bold, text } from '../../lib/text/text.ts'
import { createFromFile, nameOf, resourceInProject } from '../../project/index.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { loadResource, requireBaseUrl, sendEvents } from '../project/in-project.ts'
import type { CreateAssistantOptions } from './create.ts'

/**
 * `assistant create` (interface.md 4.3): one POST, after everything passed. A file of a project is recorded in its lockfile;
 * the form makes such a file.
 */
export async function createAssistant(
  given: string | undefined,
  options: CreateAssistantOptions,
  context: Context,
): Promise<void> {
  const { output } = context
  const { again } = options
  const form =
    given === undefined ? await (await import('./form.ts')).askForAssistant(context) : { file: given }
  const { file } = form
  const resource = file === undefined ? undefined : await resourceInProject(file, context.files)
  if (resource?.kind === 'assistant') {
    await requireBaseUrl(context)
    const inProject = { ...resource, kind: 'assistant' } as const
    const done = await createFromFile(inProject, { ...options, again }, context, sendEvents(context))
    showCreated({ ...done.answer, _id: done.id ?? '' }, context)
    return noteNext(output, `callwright call start --assistant ${nameOf(resource.address)}`)
  }
  const body = 'body' in form ? form.body : await loadResource(context, form.file, 'assistant', options)
  await agreeToAccess(context)
  const record = await context.api().createAssistant(body)
  showCreated(record, context)
  noteNext(output, `callwright call start --assistant-id ${record._id}`)
}

function showCreated(record: { readonly _id: string; readonly name?: unknown }, { output }: Context): void {
  const name = typeof record.name === 'string' ? ` (${record.name})` : ''
  output.result(record, () => text`Created assistant ${bold(record._id)}${name}`)
}
