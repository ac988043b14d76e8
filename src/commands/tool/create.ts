import type { Context } from '../../context.ts'
import { bold, text } from '../../output/text.ts'
import { loadResource } from '../load-resource.ts'
import { noteNotRecorded } from '../project/not-recorded.ts'

export interface CreateToolOptions {
  readonly file: string
  readonly allowUnknown?: boolean
  /** Section of the lockfile that the ids of references come from; the profile's name unless given. */
  readonly target?: string
}

/** `tool create` (interface.md 4.4): one POST, after the whole file passed. */
export async function createTool({ file, ...options }: CreateToolOptions, context: Context): Promise<void> {
  const tool = await loadResource(context, file, 'tool', options)
  const record = await context.api().createTool(tool)
  context.output.result(record, () => text`Created tool ${bold(record._id)}`)
  await noteNotRecorded(file, record._id, options, context)
}
