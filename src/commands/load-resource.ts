import type { Context } from '../context.ts'
import { InvalidInput } from '../errors.ts'
import { isObject } from '../interface/is-object.ts'
import type { KindName } from '../interface/words.ts'
import { formatFinding } from '../output/diagnostics.ts'
import { checkFile } from '../source/check-file.ts'

export interface LoadOptions {
  /** Unknown keys are sent as they are. */
  readonly allowUnknown?: boolean | undefined
}

/**
 * The request body that a file holds, checked and with its references resolved. Warnings go to stderr.
 * Throws InvalidInput (exit 3) with all findings.
 */
export async function loadResource(
  context: Context,
  file: string,
  kind: KindName,
  { allowUnknown }: LoadOptions = {},
): Promise<Record<string, unknown>> {
  const vocabulary = (await context.settings()).vocabulary.value
  const { body, diagnostics } = await checkFile(file, kind, {
    cwd: context.cwd,
    env: context.env,
    vocabulary,
    allowUnknown,
  })
  if (diagnostics.some(({ severity }) => severity === 'error') || !isObject(body))
    throw new InvalidInput(diagnostics)
  for (const diagnostic of diagnostics) context.output.warn(formatFinding(diagnostic), diagnostic.hint)
  return body
}
