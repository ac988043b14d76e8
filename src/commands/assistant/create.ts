import type { Context } from '../../context.ts'
import { bold, text } from '../../output/text.ts'
import { loadResource } from '../load-resource.ts'
import { noteNotRecorded } from '../project/not-recorded.ts'

export interface CreateAssistantOptions {
  /** Without a file, a person is asked. */
  readonly file?: string
  readonly allowUnknown?: boolean
  /** Section of the lockfile that the ids of references come from; the profile's name unless given. */
  readonly target?: string
}

/** `assistant create` (interface.md 4.3): one POST, after everything passed. */
export async function createAssistant(
  { file, ...options }: CreateAssistantOptions,
  context: Context,
): Promise<void> {
  const assistant =
    file === undefined
      ? await (await import('./form.ts')).askForAssistant(context)
      : await loadResource(context, file, 'assistant', options)
  const record = await context.api().createAssistant(assistant)
  context.output.result(
    record,
    () =>
      text`Created assistant ${bold(record._id)}${typeof record.name === 'string' ? ` (${record.name})` : ''}`,
  )
  if (file !== undefined) await noteNotRecorded(file, record._id, options, context)
}
