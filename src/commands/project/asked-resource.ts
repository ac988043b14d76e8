import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Context } from '../../cli/context.ts'
import { kinds } from '../../interface/kinds.ts'
import type { ResourceKind } from '../../interface/words.ts'
import { CallwrightError } from '../../lib/error.ts'
import { beginningHint, findByBeginning } from '../../lib/text/find-by-beginning.ts'
import { type Address, addressOf, isAddress, kindOfAddress } from '../../project/address.ts'
import { fileKinds, findResources, type ResourceFile } from '../../project/load/find-resources.ts'
import { readLockfile, type Section } from '../../project/lockfile/lockfile.ts'
import { displayName } from '../../source/index.ts'
import { nearbyText, notFound, withoutKind } from './near-resources.ts'
import { lockfilePlace, type ProjectOptions } from './open-project.ts'
import { openSection } from './open-section.ts'
import { recordedResource } from './recorded-resource.ts'

/** A file of the project in which a command stands. */
export interface ProjectResource extends ResourceFile {
  /** Of the project, absolute. */
  readonly folder: string
}

/** What a person means by a file, a name in the project, or an id. */
export type AskedResource =
  /** As it was given. */
  | { readonly by: 'file'; readonly file: string }
  | { readonly by: 'name'; readonly resource: ProjectResource }
  /** `resource`: the file of the project whose id at the target it is. */
  | { readonly by: 'id'; readonly id: string; readonly resource?: ProjectResource | undefined }

interface Asked {
  readonly text: string
  readonly kind: ResourceKind
  /** The flag that takes what is certainly an id. */
  readonly idFlag: string
}

type Target = Pick<ProjectOptions, 'target'>

/**
 * A resource by a file that exists; else by its name in the project (`front-desk`, `assistant/front-desk`); else by its id, or
 * a unique beginning of an id that the lockfile has for the target. An id that the lockfile does not have is recognised by
 * its digits.
 * @throws CliError `usage` for what is none of these, with what was probably meant
 */
export async function askedResource(asked: Asked, options: Target, context: Context): Promise<AskedResource> {
  const { text, kind } = asked
  if (await isFile(context.resolve(text))) return { by: 'file', file: text }
  const project = await projectAround(context)
  const found = await findInProject(asked, project, options, context)
  if (found !== undefined) return found
  const near = await nearbyText(withoutKind(text), namesOf(kind, project), context)
  if (near === undefined && looksLikeId(text)) return { by: 'id', id: text }
  const names = namesOf(kind, project)
  const idHint = `give an id of the service with ${asked.idFlag}`
  throw notFound(asked, { near, names, inProject: project !== undefined, idHint })
}

/**
 * The id that a person means, where only an id can be: by a name in the project, by a unique beginning of an id that the
 * lockfile has for the target, else by itself.
 * @throws CliError `usage` for a name that has no id at the target, and for several ids that begin so
 */
export async function askedId(asked: Asked, options: Target, context: Context): Promise<string> {
  const { text, kind, idFlag } = asked
  if (text === '') throw new CallwrightError('usage', `${idFlag} is empty`)
  const project = await projectAround(context)
  const found = await findInProject(asked, project, options, context)
  if (found?.by === 'id') return found.id
  if (found?.by === 'name') return deployedId(found.resource, options, context)
  const names = namesOf(kind, project)
  const near = await nearbyText(withoutKind(text), names, context)
  if (isAddress(text)) throw notFound(asked, { near, names, inProject: project !== undefined })
  if (near !== undefined) {
    const { title } = kinds[fileKinds[kind]]
    context.output.warn(`the project has no ${title} ${JSON.stringify(text)}; it is sent as an id`, near)
  }
  return text
}

/**
 * The id of a project's file at the target: of tools and assistants by the lockfile, of a knowledge base by its own file.
 * `otherwise` is what else a person can do where there is none.
 * @throws CliError `usage` where it has none, `conflict` where the lockfile has another base URL for the target
 */
export async function deployedId(
  resource: ProjectResource,
  options: Target,
  context: Context,
  otherwise?: string,
): Promise<string> {
  const { folder } = resource
  const found = await recordedResource(options, context)(resource, { folder, files: new Map() })
  if ('text' in found) return found.text
  const hints = [found.hint, otherwise].filter(each => each !== undefined)
  throw new CallwrightError('usage', found.problem, { hint: hints.join('; or ') })
}

/** Texts for `askedResource` that a person can choose from: names with an id at the target, files without. */
export async function askableResources(
  kind: ResourceKind,
  options: Target,
  context: Context,
): Promise<string[]> {
  const project = await projectAround(context)
  if (project === undefined) return []
  const known = idsIn(await sectionAt(project.folder, options, context), kind)
  const addresses = new Set([...project.files.keys(), ...known.map(({ address }) => address)])
  return [...addresses].flatMap(address => {
    if (kindOfAddress(address) !== kind) return []
    const path = project.files.get(address)?.path
    const isKnown = known.some(each => each.address === address)
    return [isKnown || path === undefined ? withoutKind(address) : displayName(path, context.cwd)]
  })
}

interface AroundProject {
  readonly folder: string
  readonly files: ReadonlyMap<Address, ResourceFile>
}

async function projectAround(context: Context): Promise<AroundProject | undefined> {
  const { project } = await context.settings()
  if (project === undefined) return undefined
  const folder = dirname(project.file)
  const { files } = await findResources(folder, context.cwd)
  return { folder, files: new Map(files.map(each => [each.address, each])) }
}

/** The names of a kind that stand for files, as a person gives them. */
function namesOf(kind: ResourceKind, project: Pick<AroundProject, 'files'> | undefined): string[] {
  return [...(project?.files.keys() ?? [])].flatMap(address =>
    kindOfAddress(address) === kind ? [address.slice(kind.length + 1)] : [],
  )
}

async function findInProject(
  { text, kind, idFlag }: Asked,
  project: AroundProject | undefined,
  options: Target,
  context: Context,
): Promise<Exclude<AskedResource, { by: 'file' }> | undefined> {
  if (project === undefined) return undefined
  const { folder, files } = project
  const inProject = (address: Address): ProjectResource | undefined => {
    const file = files.get(address)
    return file === undefined ? undefined : { ...file, folder }
  }
  const named = inProject(isAddress(text) ? text : addressOf(kind, text))
  if (named !== undefined && named.kind !== kind) {
    throw new CallwrightError('usage', `${text} is ${withArticle(named.kind)}, not ${withArticle(kind)}`)
  }
  if (named !== undefined) return { by: 'name', resource: named }
  const known = idsIn(await sectionAt(folder, options, context), kind)
  const removed = known.find(({ address }) => address === text || address === addressOf(kind, text))
  if (removed !== undefined) return { by: 'id', id: removed.id }
  const found = findByBeginning(text, known, ({ id }) => id)
  if (found.kind === 'missing') return undefined
  if (found.kind === 'found') return { by: 'id', id: found.item.id, resource: inProject(found.item.address) }
  throw new CallwrightError(
    'usage',
    `${idFlag} ${text} is the beginning of several ids in ${lockfilePlace(folder, context).name}`,
    { hint: beginningHint(found, ({ id }) => id) },
  )
}

/**
 * What the lockfile has for the target; undefined where it has another base URL for it: those ids are not this service's.
 * @throws CliError `conflict` for a lockfile that cannot be read
 */
async function sectionAt(folder: string, options: Target, context: Context): Promise<Section | undefined> {
  const { path, name } = lockfilePlace(folder, context)
  const { lockfile } = await readLockfile(path, name)
  try {
    return (await openSection(lockfile, options, context)).section
  } catch (error) {
    if (error instanceof CallwrightError && error.kind === 'conflict') return undefined
    throw error
  }
}

interface KnownId {
  readonly address: Address
  readonly id: string
}

function idsIn(section: Section | undefined, kind: ResourceKind): KnownId[] {
  return Object.entries(section?.resources ?? {}).flatMap(([address, { id, body }]) => {
    if (!isAddress(address) || kindOfAddress(address) !== kind) return []
    const known = kind === 'kb' ? body.knowledgeBaseId : id
    return typeof known === 'string' && !known.includes('${') ? [{ address, id: known }] : []
  })
}

/** A pipe is one, too; a folder is none. */
async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    status => !status.isDirectory(),
    () => false,
  )
}

function withArticle(kind: ResourceKind): string {
  const { title } = kinds[fileKinds[kind]]
  return `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`
}

function looksLikeId(text: string): boolean {
  return /^[\w:-]*\d[\w:-]*$/.test(text)
}
