import type { Context } from '../context.ts'
import { InvalidInput } from '../errors.ts'
import { isObject } from '../interface/is-object.ts'
import type { KindName } from '../interface/words.ts'
import { formatFinding } from '../output/diagnostics.ts'
import { checkFileInProject, type FindResource } from '../project/load/file-in-project.ts'
import { recordedResource } from './project/recorded-resource.ts'

export interface LoadOptions {
  /** Unknown keys are sent as they are. */
  readonly allowUnknown?: boolean | undefined
  /** What references to other files of its project stand for; the ids of the lockfile unless given. */
  readonly find?: FindResource | undefined
}

/**
 * The request body that a file holds, checked and with its references resolved. Warnings go to stderr.
 * Throws InvalidInput (exit 3) with all findings.
 */
export async function loadResource(
  context: Context,
  file: string,
  kind: KindName,
  { allowUnknown, find = recordedResource(context) }: LoadOptions = {},
): Promise<Record<string, unknown>> {
  const vocabulary = (await context.settings()).vocabulary.value
  const { cwd, env } = context
  const options = { cwd, env, vocabulary, allowUnknown }
  const { body, diagnostics } = await checkFileInProject(file, kind, options, find)
  if (diagnostics.some(({ severity }) => severity === 'error') || !isObject(body))
    throw new InvalidInput(diagnostics)
  for (const diagnostic of diagnostics) context.output.warn(formatFinding(diagnostic), diagnostic.hint)
  return body
}
