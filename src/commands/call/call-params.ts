import type { Context } from '../../cli/context.ts'
import { isObject } from '../../lib/json/is-object.ts'
import type { CheckResourceOptions } from '../../project/index.ts'
import { checkResource } from '../project/in-project.ts'
import type { PlaceCallOptions } from './flags.ts'

export type CallParamsOptions = CheckResourceOptions &
  Partial<Pick<PlaceCallOptions, 'var' | 'metadata' | 'overrides'>>

interface CallParams {
  readonly metadata?: object
  readonly assistantOverrides?: object
}

/**
 * What a call request says beside its numbers and its assistant (interface.md 4.1 and 4.2): only what was given is sent.
 * `shown` is the same without values from the environment.
 */
export async function callParams(
  options: CallParamsOptions,
  context: Context,
): Promise<{ readonly sent: CallParams; readonly shown: CallParams }> {
  const { metadata, overrides, var: variables } = options
  const file =
    overrides === undefined ? undefined : await checkResource(overrides, 'overrides', options, context)
  const paramsWith = (body: unknown): CallParams => {
    const assistantOverrides = withVariables(isObject(body) ? body : undefined, variables)
    return {
      ...(metadata === undefined ? {} : { metadata }),
      ...(assistantOverrides === undefined ? {} : { assistantOverrides }),
    }
  }
  return { sent: paramsWith(file?.checked.body), shown: paramsWith(file?.masked()) }
}

/** Overrides of a file with the variables of --var laid over its dynamicVariables. */
function withVariables(
  file: Readonly<Record<string, unknown>> | undefined,
  variables: CallParamsOptions['var'],
): object | undefined {
  if (variables === undefined) return file
  const own = isObject(file?.dynamicVariables) ? file.dynamicVariables : {}
  return { ...file, dynamicVariables: { ...own, ...variables } }
}
