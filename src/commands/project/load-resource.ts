import type { Context } from '../../cli/context.ts'
import type { KindName } from '../../interface/words.ts'
import { isObject } from '../../lib/json/is-object.ts'
import { InvalidInput } from '../../source/index.ts'
import { type CheckResourceOptions, checkResource } from './check-resource.ts'

export type LoadOptions = CheckResourceOptions

/**
 * The request body that a file holds, checked and with its references resolved. Warnings go to stderr.
 * Throws InvalidInput (exit 3) with all findings.
 */
export async function loadResource(
  context: Context,
  file: string,
  kind: KindName,
  options: LoadOptions = {},
): Promise<Record<string, unknown>> {
  const { checked } = await checkResource(file, kind, options, context)
  if (!isObject(checked.body)) throw new InvalidInput(checked.diagnostics)
  return checked.body
}
