import type { Context } from '../../cli/context.ts'
import { noteNext } from '../../cli/render/next-steps.ts'
import { bold, text } from '../../lib/text/text.ts'
import { agreeToAccess } from '../project/agree-to-access.ts'
import { type CreateOptions, createInProject } from '../project/create-in-project.ts'
import { loadResource } from '../project/load-resource.ts'
import { nameOf } from '../project/name-of.ts'

export interface CreateAssistantOptions extends CreateOptions {
  /** Without a file, a person is asked. */
  readonly file?: string
}

/**
 * `assistant create` (interface.md 4.3): one POST, after everything passed. A file of a project is recorded in its lockfile;
 * the form makes such a file.
 */
export async function createAssistant(
  { file: given, ...options }: CreateAssistantOptions,
  context: Context,
): Promise<void> {
  const { output } = context
  const form =
    given === undefined ? await (await import('./form.ts')).askForAssistant(context) : { file: given }
  const { file } = form
  const created = file === undefined ? undefined : await createInProject(file, 'assistant', options, context)
  if (created !== undefined) {
    const { resource, done } = created
    showCreated({ ...done.answer, _id: done.id ?? '' }, context)
    return noteNext(output, `callwright call start --assistant ${nameOf(resource)}`)
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
