import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { kinds } from '../../interface/kinds.ts'
import type { KindName, ResourceKind } from '../../interface/words.ts'
import { CallwrightError } from '../../lib/error.ts'
import { didYouMean } from '../../lib/text/did-you-mean.ts'
import { isAddress, kindOfAddress } from '../../project/address.ts'
import { fileKinds, findResources } from '../../project/load/find-resources.ts'
import { displayName } from '../../source/index.ts'

/** `did you mean front-desk?`: a name of the project, or a file beside the one that was named; undefined when none is near. */
export async function nearbyText(
  text: string,
  names: readonly string[],
  context: Pick<Context, 'resolve'>,
): Promise<string | undefined> {
  const bare = withoutExtension(basename(text))
  const meant =
    names.find(name => bare !== '' && (name === bare || name.endsWith(`/${bare}`))) ??
    didYouMean(text, names) ??
    (await nearbyFile(text, context))
  return meant === undefined ? undefined : `did you mean ${meant}?`
}

async function nearbyFile(text: string, { resolve }: Pick<Context, 'resolve'>): Promise<string | undefined> {
  const siblings = await readdir(dirname(resolve(text))).catch(() => [])
  const files = siblings.filter(name => /\.(ya?ml|json|csv)$/i.test(name))
  const wanted = basename(text)
  const file =
    files.find(name => withoutExtension(name) === withoutExtension(wanted)) ??
    // A word without extension may be an id, and every id is near to another word.
    (extname(wanted) === '' ? undefined : didYouMean(wanted, files))
  return file === undefined ? undefined : join(dirname(text), file)
}

function withoutExtension(name: string): string {
  return name.slice(0, name.length - extname(name).length)
}

const resourceKindOf: Partial<Record<KindName, ResourceKind>> = {
  assistant: 'assistant',
  'inline-assistant': 'assistant',
  tool: 'tool',
  'tool-update': 'tool',
  'knowledge-base': 'kb',
}

/** The file of the project that has this name, or nearly: `tools/book.yaml` for `book`. Undefined when none is near. */
export async function nearProjectFile(
  text: string,
  kindName: KindName,
  context: Pick<Context, 'settings' | 'cwd'>,
): Promise<string | undefined> {
  const kind = resourceKindOf[kindName]
  const { project } = await context.settings()
  if (kind === undefined || project === undefined) return undefined
  const { files } = await findResources(dirname(project.file), context.cwd)
  const named = new Map(
    files.flatMap(each => (each.kind === kind ? [[withoutKind(each.address), each.path]] : [])),
  )
  const bare = withoutKind(text.slice(0, text.length - extname(text).length))
  const path = named.get(bare) ?? named.get(didYouMean(bare, [...named.keys()]) ?? '')
  return path === undefined ? undefined : displayName(path, context.cwd)
}

/** `tool/bok` → `bok`. */
export function withoutKind(text: string): string {
  return isAddress(text) ? text.slice(kindOfAddress(text).length + 1) : text
}

interface Missing {
  readonly text: string
  readonly kind: ResourceKind
}

interface Known {
  /** Of `nearbyText`. */
  readonly near: string | undefined
  /** Of this kind, in the project. */
  readonly names: readonly string[]
  readonly inProject: boolean
  /** How an id is given that neither file has; undefined where this was to be one. */
  readonly idHint?: string
}

/** The usage error of a resource that is neither a file nor a name nor an id, with what there is. */
export function notFound(
  { text, kind }: Missing,
  { near, names, inProject, idHint }: Known,
): CallwrightError {
  const { title, folder } = kinds[fileKinds[kind]]
  const looked = [
    ...(idHint === undefined ? [] : ['no such file']),
    inProject ? 'no such name in the project' : 'no project here',
  ]
  const listed = names.slice(0, maxListed).join(', ')
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : ''
  const there = names.length > 0 ? `${folder}/ has ${listed}${more}` : undefined
  const hints = [near ?? there, idHint].filter(each => each !== undefined)
  const separator = near === undefined ? '; ' : ' Or: '
  return new CallwrightError(
    'usage',
    `there is no ${title} ${JSON.stringify(text)}: ${looked.join(', and ')}`,
    {
      hint: hints.length === 0 ? undefined : hints.join(separator),
    },
  )
}

const maxListed = 8
