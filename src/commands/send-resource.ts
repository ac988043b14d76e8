import type { Context } from '../cli/context.ts'
import { noteNext } from '../cli/render/next-steps.ts'
import { type Address, nameOf } from '../interface/address.ts'
import { bold, text } from '../lib/text/text.ts'
import { createFromFile, resourceInProject, updateFromFile } from '../project/index.ts'
import type { CreateResourceOptions } from './assistant/create.ts'
import { agreeToAccess, askedId, loadResource, requireBaseUrl, sendEvents } from './in-project.ts'
import type { UpdateToolOptions } from './tool/update.ts'

/** `assistant create` (interface.md 4.3). The form that asks, where no file is given, makes one in a project. */
export async function createAssistant(
  given: string | undefined,
  options: CreateResourceOptions,
  context: Context,
): Promise<void> {
  const form =
    given === undefined
      ? await (await import('./assistant/assistant-form.ts')).askForAssistant(context)
      : { file: given }
  const { record, address } = await create('assistant', form, options, context)
  const name = typeof record.name === 'string' ? ` (${record.name})` : ''
  context.output.result(record, () => text`Created assistant ${bold(record._id)}${name}`)
  const assistant = address === undefined ? `--assistant-id ${record._id}` : `--assistant ${nameOf(address)}`
  noteNext(context.output, `callwright call start ${assistant}`)
}

/** `tool create` (interface.md 4.4). */
export async function createTool(
  file: string,
  options: CreateResourceOptions,
  context: Context,
): Promise<void> {
  const { record, address } = await create('tool', { file }, options, context)
  const name = address === undefined ? '' : ` (${address})`
  context.output.result(record, () => text`Created tool ${bold(record._id)}${name}`)
  const id = address === undefined ? record._id : `"\${tool:${nameOf(address)}}"`
  noteNext(context.output, `assistantToolIds: [${id}] in an assistant's file`)
}

/** One POST, after everything passed: of a file, or of what a person answered. A file of a project is recorded in its lockfile. */
async function create(
  kind: 'assistant' | 'tool',
  given: { readonly file: string | undefined; readonly body?: Readonly<Record<string, unknown>> },
  options: CreateResourceOptions,
  context: Context,
): Promise<{ record: { readonly _id: string; readonly name?: unknown }; address?: Address }> {
  const { file } = given
  const inProject = file === undefined ? undefined : await resourceInProject(file, context.files)
  if (inProject?.kind === kind) {
    await requireBaseUrl(context)
    const named = { ...inProject, kind }
    const { answer, id = '' } = await createFromFile(named, options, context, sendEvents(context))
    return { record: { ...answer, _id: id }, address: inProject.address }
  }
  const body = given.body ?? (await loadResource(context, file ?? '', kind, options))
  await agreeToAccess(context)
  const api = context.api()
  return { record: kind === 'tool' ? await api.createTool(body) : await api.createAssistant(body) }
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
