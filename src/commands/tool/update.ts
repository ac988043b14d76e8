import type { Context } from '../../context.ts'
import { bold, text } from '../../output/text.ts'
import { loadResource } from '../load-resource.ts'

export interface UpdateToolOptions {
  readonly id: string
  readonly file: string
  readonly allowUnknown?: boolean
}

/** `tool update` (interface.md 4.5): PATCH is idempotent, so a lost answer may be retried. */
export async function updateTool(
  { id, file, ...options }: UpdateToolOptions,
  context: Context,
): Promise<void> {
  const change = await loadResource(context, file, 'tool-update', options)
  const record = await context.api().updateTool(id, change)
  context.output.result(record, () => text`Updated tool ${bold(record._id)}`)
}
