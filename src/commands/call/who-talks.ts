import type { Context } from '../../context.ts'
import { type LoadOptions, loadResource } from '../load-resource.ts'
import { recordedResource } from '../project/recorded-resource.ts'

export interface WhoTalksOptions extends LoadOptions {
  readonly assistant?: string
  readonly assistantId?: string
  readonly var?: Readonly<Record<string, string>>
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly overrides?: string
}

/** The part of a call request that says who talks (interface.md 4.1 and 4.2): only what was given is sent. */
export async function whoTalks(options: WhoTalksOptions, context: Context): Promise<Record<string, unknown>> {
  const { assistant, assistantId, metadata } = options
  // One for both files: the lockfile is read once.
  const load = { ...options, find: options.find ?? recordedResource(options, context) }
  if (assistant !== undefined && assistantId !== undefined) {
    context.output.warn(
      '--assistant and --assistant-id are both given: the inline assistant wins',
      'leave one of them out',
    )
  }
  const inline =
    assistant === undefined ? undefined : await loadResource(context, assistant, 'inline-assistant', load)
  const assistantOverrides = await readOverrides(load, context)
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(inline === undefined ? {} : { assistant: inline }),
    ...(assistantId === undefined ? {} : { assistantId }),
    ...(assistantOverrides === undefined ? {} : { assistantOverrides }),
  }
}

/** Overrides from a file with the variables of --var laid over its dynamicVariables. */
async function readOverrides(options: WhoTalksOptions, context: Context): Promise<object | undefined> {
  const { overrides, var: variables } = options
  const file =
    overrides === undefined ? undefined : await loadResource(context, overrides, 'overrides', options)
  if (variables === undefined) return file
  return { ...file, dynamicVariables: { ...(file?.dynamicVariables as object | undefined), ...variables } }
}
