import type { Context } from '../../context.ts'
import { type LoadOptions, loadResource } from '../load-resource.ts'

export interface CallParamsOptions extends LoadOptions {
  readonly var?: Readonly<Record<string, string>>
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly overrides?: string
}

/** What a call request says beside its numbers and its assistant (interface.md 4.1 and 4.2): only what was given is sent. */
export async function callParams(
  options: CallParamsOptions,
  context: Context,
): Promise<{ readonly metadata?: object; readonly assistantOverrides?: object }> {
  const { metadata } = options
  const assistantOverrides = await readOverrides(options, context)
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(assistantOverrides === undefined ? {} : { assistantOverrides }),
  }
}

/** Overrides from a file with the variables of --var laid over its dynamicVariables. */
async function readOverrides(options: CallParamsOptions, context: Context): Promise<object | undefined> {
  const { overrides, var: variables } = options
  const file =
    overrides === undefined ? undefined : await loadResource(context, overrides, 'overrides', options)
  if (variables === undefined) return file
  return { ...file, dynamicVariables: { ...(file?.dynamicVariables as object | undefined), ...variables } }
}
