import type { Context } from '../../cli/context.ts'
import { isObject } from '../../lib/json.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { addressOf, type CheckResourceOptions, fileKinds, projectsAround } from '../../project/index.ts'
import { createVariables } from '../../sandbox/index.ts'
import { type CheckedFile, checkFile } from '../../source/index.ts'
import { checkResourceInProject } from '../project/in-project.ts'
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
    overrides === undefined
      ? undefined
      : await checkResourceInProject(overrides, 'overrides', options, context)
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

/**
 * Warns of variables of --var that no text of the assistant uses: its file, the tools and knowledge bases that it refers
 * to, and the overrides. Says nothing of an assistant that refers to what no file here holds.
 */
export async function warnOfUnusedVariables(
  variables: Readonly<Record<string, string>>,
  { file, overrides }: { readonly file: string; readonly overrides: unknown },
  context: Context,
): Promise<void> {
  const texts = await textsOf(file, context)
  if (texts === undefined) return
  const used = namesIn([texts, overrides])
  for (const name of Object.keys(variables)) {
    if (used.includes(name)) continue
    const meant = didYouMean(name, used)
    const there =
      used.length === 0 ? 'they use no variables' : `they use ${used.map(each => `{{${each}}}`).join(', ')}`
    context.output.warn(
      `--var ${name} changes nothing: no text of ${file} uses {{${name}}}`,
      meant === undefined ? there : `did you mean ${meant}?`,
    )
  }
}

/** Undefined where some of them stand at the service alone. */
async function textsOf(file: string, context: Context): Promise<unknown> {
  const read = async (path: string, kind: Parameters<typeof checkFile>[1]): Promise<CheckedFile> => {
    const vocabulary = (await context.settings()).vocabulary.value
    return checkFile(path, kind, { ...context.files, vocabulary, resource: () => ({ text: '' }) })
  }
  const { value, references, source } = await read(file, 'inline-assistant')
  const project = await projectsAround(context.files)(source.path)
  const referred = references.resources.map(({ kind, name }) => project?.files.get(addressOf(kind, name)))
  const found = referred.flatMap(each => each ?? [])
  if (!isObject(value) || found.length < idsIn(value)) return undefined
  const others = await Promise.all(
    found.map(async ({ path, kind }) => (await read(path, fileKinds[kind])).value),
  )
  return [value, others]
}

/** How many tools and knowledge bases an assistant names. */
function idsIn({ assistantToolIds, assistantKnowledgeBaseIds }: Readonly<Record<string, unknown>>): number {
  const lists = [assistantToolIds, assistantKnowledgeBaseIds]
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}

function namesIn(texts: unknown): string[] {
  const { fill, unset } = createVariables({})
  fill(JSON.stringify(texts))
  return [...unset]
}
