import type { Context } from '../../cli/context.ts'
import { addressOf, nameOf } from '../../interface/address.ts'
import { createVariables } from '../../interface/variables.ts'
import { CallwrightError } from '../../lib/error.ts'
import { isObject } from '../../lib/json.ts'
import { didYouMean, meantHint, shortId } from '../../lib/text/did-you-mean.ts'
import {
  assertDeployed,
  type CheckedResource,
  type CheckResourceOptions,
  deployedId,
  fileKinds,
  findNamed,
  projectsAround,
  type ResourceFile,
} from '../../project/index.ts'
import { type CheckedFile, checkFile, displayName, InvalidInput } from '../../source/index.ts'
import { askedId, checkResourceInProject } from '../in-project.ts'
import type { PlaceCallOptions } from './flags.ts'

/** As a person knows who talks where nothing is given. */
export const numbersDefault = 'the default assistant of the number'

/**
 * The assistant that --assistant and --assistant-id ask for, as a request names it (interface.md 4.1 and 4.2): a file is sent inline; a
 * name in the project is the assistant that was deployed from it, by its id; an id is sent as it is. To be followed, a deployed assistant
 * is sent inline too, from the file that it was deployed from, if that has not changed since. `masked` are the fields without values from
 * the environment, `shown` is the assistant as a person knows it, `file` where its texts stand on this machine.
 * @throws CallwrightError `usage` for an assistant that is not found or not deployed, `conflict` for a followed one whose file has
 * changed, InvalidInput for a file that does not pass
 */
export async function chooseAssistant(options: PlaceCallOptions, context: Context) {
  const { assistant, assistantId, follow } = options
  if (assistant === undefined) {
    if (follow === true) throw notFollowable(assistantId)
    if (assistantId === undefined) return byId(undefined, numbersDefault)
    const id = await askedId({ text: assistantId, kind: 'assistant', idFlag }, options, context)
    return byId(id, id)
  }
  const asked = await findNamed({ text: assistant, kind: 'assistant', idFlag }, options, context)
  if (asked.by === 'file') {
    const { file } = asked
    const checked = await checkResourceInProject(file, 'inline-assistant', options, context)
    if (assistantId !== undefined)
      context.output.warn(
        '--assistant and --assistant-id are both given: the inline assistant wins',
        'leave one of them out',
      )
    return inline(checked, { assistantId, shown: file, file })
  }
  if (assistantId !== undefined) {
    throw new CallwrightError(
      'usage',
      `--assistant ${assistant} and --assistant-id ${assistantId} are both given`,
      { hint: 'leave one of them out' },
    )
  }
  const { resource } = asked
  const idOf = (deployed: ResourceFile) => deployedId(deployed, options, context, { mayInline: true })
  if (follow === true) {
    if (resource === undefined) throw notFollowable(assistant)
    const id = await idOf(resource)
    const checked = await checkResourceInProject(resource.path, 'assistant', options, context)
    await assertDeployed(resource, checked, options, context)
    return inline(checked, { shown: shownAs(resource, id), file: displayName(resource.path, context.cwd) })
  }
  const id = asked.by === 'id' ? asked.id : await idOf(asked.resource)
  if (resource === undefined) return byId(id, id)
  return byId(id, shownAs(resource, id), displayName(resource.path, context.cwd))
}

function shownAs({ address }: ResourceFile, id: string): string {
  return `${nameOf(address)} (${shortId(id)})`
}

const idFlag = '--assistant-id'

/** An assistant that was not deployed from a file here sends its events to the address that it was created with. */
export function notFollowable(asked: string | undefined): CallwrightError {
  const why = asked === undefined ? 'none is given' : `${asked} is an id`
  return new CallwrightError('usage', `--follow needs the file of the assistant, and ${why}`, {
    hint: 'give --assistant <file>, or its name in the project: its assistantServer is set for this call alone',
  })
}

function byId(assistantId: string | undefined, shown: string, file?: string) {
  return { fields: { assistantId }, masked: { assistantId }, shown, file }
}

/** Of `assistant` and `assistantId` the first wins. */
function inline(
  { checked, masked }: CheckedResource,
  { assistantId, shown, file }: { assistantId?: string | undefined; shown: string; file: string },
) {
  const { body } = checked
  const maskedBody = masked()
  if (!isObject(body) || !isObject(maskedBody)) throw new InvalidInput(checked.diagnostics)
  return {
    fields: { assistant: body, assistantId },
    masked: { assistant: maskedBody, assistantId },
    shown: `${shown}, sent inline`,
    file,
  }
}

export type CallParamsOptions = CheckResourceOptions &
  Partial<Pick<PlaceCallOptions, 'var' | 'metadata' | 'overrides'>>

/**
 * What a call request says beside its numbers and its assistant (interface.md 4.1 and 4.2): only what was given is sent.
 * `shown` is the same without values from the environment.
 */
export async function callParams(options: CallParamsOptions, context: Context) {
  const { metadata, overrides, var: variables } = options
  const file =
    overrides === undefined
      ? undefined
      : await checkResourceInProject(overrides, 'overrides', options, context)
  const paramsWith = (body: unknown) => {
    const assistantOverrides = withVariables(isObject(body) ? body : undefined, variables)
    return { metadata, assistantOverrides }
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
    const there =
      used.length === 0 ? 'they use no variables' : `they use ${used.map(each => `{{${each}}}`).join(', ')}`
    context.output.warn(
      `--var ${name} changes nothing: no text of ${file} uses {{${name}}}`,
      meantHint(didYouMean(name, used)) ?? there,
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
