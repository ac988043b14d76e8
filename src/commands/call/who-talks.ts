import type { Context } from '../../context.ts'
import { loadResource } from '../load-resource.ts'
import { recordedResource } from '../project/recorded-resource.ts'
import { type CallParamsOptions, callParams } from './call-params.ts'

export interface WhoTalksOptions extends CallParamsOptions {
  /** A file. */
  readonly assistant?: string
  readonly assistantId?: string
}

/** The part of a call request that says who talks (interface.md 4.1 and 4.2): only what was given is sent. */
export async function whoTalks(options: WhoTalksOptions, context: Context): Promise<Record<string, unknown>> {
  const { assistant, assistantId } = options
  // One for both files: the lockfile is read once.
  const load = { ...options, find: options.find ?? recordedResource(options, context) }
  const inline =
    assistant === undefined ? undefined : await loadResource(context, assistant, 'inline-assistant', load)
  return {
    ...(inline === undefined ? {} : { assistant: inline }),
    ...(assistantId === undefined ? {} : { assistantId }),
    ...(await callParams(load, context)),
  }
}
