import type { Context } from '../../cli/context.ts'
import { formatFinding } from '../../cli/render/diagnostics.ts'
import type { KindName } from '../../interface/words.ts'
import { type Address, addressOf } from '../../project/address.ts'
import { checkFileInProject, type FindResource } from '../../project/load/file-in-project.ts'
import type { IdOf, SecretHash } from '../../project/snapshot/snapshot.ts'
import type { CheckedFile, FoundResource } from '../../source/index.ts'
import { type Diagnostic, InvalidInput } from '../../source/index.ts'
import { nearProjectFile } from './near-resources.ts'
import type { ProjectOptions } from './open-project.ts'
import { recordedResource } from './recorded-resource.ts'

export interface CheckResourceOptions extends ProjectOptions {
  /** What references to other files of its project stand for; the ids of the lockfile unless given. */
  readonly find?: FindResource | undefined
}

/** A file that passed its check alone, and what its references came to. */
export interface CheckedResource {
  readonly checked: CheckedFile
  readonly idOf: IdOf
  /** The same for the lockfile: a hash where the id came from the environment. */
  fingerprintOf(hash: SecretHash): IdOf
  /** The body to be shown: `****` for each value that came from the environment. */
  masked(): unknown
}

const mask = '****'

/**
 * Checks a file that is sent by itself, with the ids of the project around it. Warnings go to stderr.
 * @throws InvalidInput (exit 3) with all findings; of a file that is not there, with one of the project that may be meant.
 */
export async function checkResource(
  file: string,
  kind: KindName,
  options: CheckResourceOptions,
  context: Context,
): Promise<CheckedResource> {
  const { allowUnknown, find = recordedResource(options, context) } = options
  const { files, output } = context
  const vocabulary = (await context.settings()).vocabulary.value
  const found = new Map<Address, Extract<FoundResource, { text: string }>>()
  const checked = await checkFileInProject(
    file,
    kind,
    { ...files, vocabulary, allowUnknown },
    async (other, project) => {
      const one = await find(other, project)
      if ('text' in one) found.set(other.address, one)
      return one
    },
  )
  if (checked.body === undefined || checked.diagnostics.some(({ severity }) => severity === 'error'))
    throw new InvalidInput(await withNearFile(checked.diagnostics, { file, kind }, context))
  context.willSend(checked)
  for (const warning of checked.diagnostics) output.warn(formatFinding(warning), warning.hint)
  const fingerprintOf: CheckedResource['fingerprintOf'] = hash => address => {
    const { text, concealed = false } = found.get(address) ?? {}
    return text !== undefined && concealed ? hash(text) : text
  }
  return {
    checked,
    idOf: address => found.get(address)?.text,
    fingerprintOf,
    masked: () =>
      checked.render({
        env: () => mask,
        resource: ({ kind: other, name }) => fingerprintOf(() => mask)(addressOf(other, name)) ?? '',
      }),
  }
}

/** Where a file was asked for by the name that it has in the project: its path. */
async function withNearFile(
  diagnostics: readonly Diagnostic[],
  { file, kind }: { readonly file: string; readonly kind: KindName },
  context: Context,
): Promise<readonly Diagnostic[]> {
  const [only] = diagnostics
  if (only?.code !== 'missing-file' || only.position !== undefined || only.hint !== undefined)
    return diagnostics
  const near = await nearProjectFile(file, kind, context)
  return near === undefined ? diagnostics : [{ ...only, hint: `did you mean ${near}?` }]
}
