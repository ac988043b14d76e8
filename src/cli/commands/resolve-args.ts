import { resolveId } from '../../calls/place/index.ts'
import { fileKinds, kinds } from '../../files/formats/kinds.ts'
import { displayName, InvalidInput } from '../../files/source/index.ts'
import type { KindName, ResourceKind } from '../../interface/words.ts'
import { CallyardError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import {
  type CheckedResource,
  type CheckResourceOptions,
  checkResource as checkQuietly,
  findNamed,
  type ResourceQuery,
} from '../../project/apply/index.ts'
import type { Context } from '../shell/context.ts'
import { printWarnings, showWarnings } from './warnings.ts'

/** Checks a file that is sent by itself, and shows its warnings: see the project's checkResource. */
export async function checkResourceInProject(
  file: string,
  kind: KindName,
  options: CheckResourceOptions,
  context: Context,
): Promise<CheckedResource> {
  const resource = await checkQuietly(file, kind, options, context)
  printWarnings(resource.checked.diagnostics, context)
  return resource
}

/** The request body that a file holds, checked, with its references resolved. @throws InvalidInput with all findings */
export async function loadResource(
  context: Context,
  file: string,
  kind: KindName,
  options: CheckResourceOptions = {},
): Promise<Record<string, unknown>> {
  const { checked } = await checkResourceInProject(file, kind, options, context)
  if (!isObject(checked.body)) throw new InvalidInput(checked.diagnostics)
  return checked.body
}

/** Resolves the id that a person means (see `resolveId`), and shows its warnings. */
export async function requestedId(
  query: ResourceQuery,
  options: CheckResourceOptions,
  context: Context,
): Promise<string> {
  const { id, warnings } = await resolveId(query, options, context)
  showWarnings(warnings, context)
  return id
}

/**
 * The file that a person means: by itself, by its name in the project, or by the id that it has at the target.
 * @throws CallyardError `usage` for an id that no file has
 */
export async function requestedFile(text: string, kind: ResourceKind, context: Context): Promise<string> {
  const match = await findNamed({ text, kind }, {}, context)
  if (match.by === 'file') return match.file
  if (match.resource !== undefined) return displayName(match.resource.path, context.cwd)
  const { title, folder } = kinds[fileKinds[kind]]
  throw new CallyardError('usage', `${title} ${JSON.stringify(text)} not found in this project`, {
    hint: `pass a file, or the name of one in ${folder}/`,
  })
}
