import { toAddress } from '../../files/formats/address.ts'
import { fileKinds } from '../../files/formats/kinds.ts'
import { type CheckedFile, checkFile, type Diagnostic } from '../../files/source/index.ts'
import { createVariables } from '../../interface/variables.ts'
import type { KindName } from '../../interface/words.ts'
import { isObject, textsIn } from '../../lib/json.ts'
import { listed } from '../../lib/text/count.ts'
import { type CheckResourceOptions, checkResource } from '../../project/apply/index.ts'
import { projectsAround } from '../../project/resources/index.ts'
import type { CallDeps, Warning } from './deps.ts'

export interface CallParamsOptions extends CheckResourceOptions {
  readonly var?: Readonly<Record<string, string>> | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** A file of assistant overrides. */
  readonly overrides?: string | undefined
}

interface CallParams {
  readonly metadata: CallParamsOptions['metadata']
  readonly assistantOverrides: Readonly<Record<string, unknown>> | undefined
}

/**
 * Builds a call request without numbers and assistant (interface.md 4.1 and 4.2): only given fields are sent. `maskedParams` is the request
 * without values from the environment.
 * @throws InvalidInput for an invalid file of overrides
 */
export async function callParams(
  options: CallParamsOptions,
  deps: CallDeps,
): Promise<{
  readonly sentParams: CallParams
  readonly maskedParams: CallParams
  readonly diagnostics: readonly Diagnostic[]
}> {
  const { metadata, overrides, var: variables } = options
  const file =
    overrides === undefined ? undefined : await checkResource(overrides, 'overrides', options, deps)
  const paramsWith = (body: unknown) => {
    const assistantOverrides = withVariables(isObject(body) ? body : undefined, variables)
    return { metadata, assistantOverrides }
  }
  return {
    sentParams: paramsWith(file?.checked.body),
    maskedParams: paramsWith(file?.masked()),
    diagnostics: file?.checked.diagnostics ?? [],
  }
}

/** Overrides of a file with `variables` laid over its dynamicVariables. */
function withVariables(
  file: Readonly<Record<string, unknown>> | undefined,
  variables: CallParamsOptions['var'],
): CallParams['assistantOverrides'] {
  if (variables === undefined) return file
  const own = isObject(file?.dynamicVariables) ? file.dynamicVariables : {}
  return { ...file, dynamicVariables: { ...own, ...variables } }
}

/** Variables in texts that a call sets, and what else the texts have in braces, for the service. */
interface UsedVariables {
  /** Without a value, the text would be wrong. */
  readonly names: readonly string[]
  /** The service fills in what has no value. */
  readonly optional: readonly string[]
  /** Optional ones that `serviceVariables` of the project does not name. */
  readonly expressions: readonly string[]
}

/**
 * Finds the variables in the texts of an assistant: its file, the tools and knowledge bases that it refers to, and the overrides.
 * Returns undefined for an assistant that refers to a resource without a file here.
 */
export async function findUsedVariables(
  { file, overrides }: { readonly file: string; readonly overrides: unknown },
  deps: CallDeps,
): Promise<UsedVariables | undefined> {
  const texts = await textsOf(file, deps)
  if (texts === undefined) return undefined
  const { serviceVariables = [] } = (await deps.settings()).project?.settings ?? {}
  const { fill, unset, forService } = createVariables({}, serviceVariables)
  for (const [, text] of textsIn([texts, overrides])) fill(text)
  const expressions = [...forService].filter(name => !serviceVariables.includes(name))
  // `#if vip` and `name | upcase` use variables of a call, too.
  const words = expressions.flatMap(expression => expression.match(/[\p{L}_][\p{L}\p{N}_.-]*/gu) ?? [])
  const optional = [...new Set([...forService, ...words])].filter(name => !unset.has(name))
  return { names: [...unset], optional, expressions }
}

/** Returns the warning of texts with more in braces than names. */
export function describeExpressions(expressions: readonly string[]): Warning & { readonly hint: string } {
  const written = expressions.map(expression => `{{${expression}}}`)
  return {
    message: `${listed(written, 3)} ${expressions.length === 1 ? 'is' : 'are'} left to the service`,
    hint: 'if one is a variable of yours, name it with letters, digits, _, - and .',
  }
}

/** Undefined if some of them are at the service alone. */
async function textsOf(file: string, { files, settings }: CallDeps): Promise<unknown> {
  const read = async (path: string, kind: KindName): Promise<CheckedFile> => {
    const vocabulary = (await settings()).vocabulary.value
    return checkFile(path, kind, { ...files, vocabulary, resource: () => ({ text: '' }) })
  }
  const { value, references, source } = await read(file, 'inline-assistant')
  const project = await projectsAround(files)(source.path)
  const referred = references.resources.map(({ kind, name }) => project?.files.get(toAddress(kind, name)))
  const resourceFiles = referred.flatMap(resourceFile => resourceFile ?? [])
  if (!isObject(value) || resourceFiles.length < countIds(value)) return undefined
  const others = await Promise.all(
    resourceFiles.map(async ({ path, kind }) => (await read(path, fileKinds[kind])).value),
  )
  return [value, others]
}

/** Counts of the tools and knowledge bases that an assistant references. */
function countIds({
  assistantToolIds,
  assistantKnowledgeBaseIds,
}: Readonly<Record<string, unknown>>): number {
  const lists = [assistantToolIds, assistantKnowledgeBaseIds]
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}
